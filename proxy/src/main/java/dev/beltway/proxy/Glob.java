package dev.beltway.proxy;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Redis's patterns of names: {@code *}, {@code ?}, {@code [a-c]}, {@code \}. */
final class Glob {

  /** Longer patterns are cut: no name is so long. */
  static final int LONGEST = 256;

  private Glob() {}

  static boolean matches(String pattern, String name) {
    StringBuilder regex = new StringBuilder();
    boolean inSet = false;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '\\' && i + 1 < pattern.length()) {
        i++;
        regex.append(Pattern.quote(String.valueOf(pattern.charAt(i))));
      } else if (inSet) {
        inSet = c != ']';
        regex.append(c == '[' || c == '&' ? "\\" + c : String.valueOf(c));
      } else if (c == '*') {
        regex.append(".*");
      } else if (c == '?') {
        regex.append('.');
      } else if (c == '[') {
        inSet = true;
        regex.append('[');
      } else {
        regex.append(Pattern.quote(String.valueOf(c)));
      }
    }
    try {
      return pattern.length() <= LONGEST
          && Pattern.compile(regex.toString(), Pattern.DOTALL).matcher(name).matches();
    } catch (PatternSyntaxException e) {
      return false;
    }
  }
}
