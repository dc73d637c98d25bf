package dev.beltway.topology;

/** Checks of whole numbers in the constructors of this package. */
final class Ranges {

  private Ranges() {}

  static void check(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " " + value + " is outside " + least + " to " + most);
    }
  }
}
