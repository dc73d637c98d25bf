package dev.beltway.resp.command;

/** The arguments of a request, its name at 0, wherever their bytes are. */
public interface Arguments {

  /** How many there are, the name among them. */
  int count();

  /** Whether an argument is this word in any case of letters; the word is in capitals. */
  boolean is(int argument, String word);

  /** The number that an argument is, {@link Long#MIN_VALUE} if it is none. */
  long number(int argument);
}
