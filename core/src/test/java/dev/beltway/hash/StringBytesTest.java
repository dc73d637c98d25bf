package dev.beltway.hash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.testing.Seeded;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Runs twice: as usual, and with {@code --add-opens java.base/java.lang=ALL-UNNAMED}. */
class StringBytesTest {

  @Test
  void stringsAreVisibleExactlyWhereThePackageIsOpened() {
    boolean opened =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .anyMatch(argument -> argument.startsWith("--add-opens=java.base/java.lang="));
    assertThat(StringBytes.areVisible()).isEqualTo(opened);
  }

  @Test
  void onlyStringsOfAsciiAreTheirOwnUtf8Bytes() {
    Seeded.forSeeds(
        2_000,
        random -> {
          String key = random.nextKey(random.oneIn(5) ? 300 : 20);
          byte[] inside = StringBytes.ascii(key);
          boolean ascii = key.chars().allMatch(c -> c < 0x80);
          if (StringBytes.areVisible() && ascii) {
            assertThat(inside).isEqualTo(key.getBytes(StandardCharsets.UTF_8));
          } else {
            assertThat(inside).isNull();
          }
        });
  }

  @Test
  void oneLetterBeyondAsciiIsNoticedWhereverItStands() {
    for (int length = 1; length < 40; length++) {
      for (int at = 0; at < length; at++) {
        for (char c : new char[] {0x80, 0xff, 0x100, 0x4e41}) {
          String key = "a".repeat(at) + c + "a".repeat(length - at - 1);
          assertThat(StringBytes.ascii(key)).isNull();
          assertThat(HashFunctions.XXH3_64.hash(key))
              .isEqualTo(HashFunctions.XXH3_64.hash(key.getBytes(StandardCharsets.UTF_8)));
        }
      }
    }
  }
}
