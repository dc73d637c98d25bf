package dev.beltway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Bytes of a file to its top mapping, within {@link TopologyFiles}' limits. */
final class YamlFile {

  private static final int MOST_ALIASES = 40;

  private YamlFile() {}

  /**
   * The bytes of a file.
   *
   * @param kind what it should be, such as {@code a topology file}
   */
  static byte[] bytes(Path path, String kind) throws ConfigFileException {
    String name = path.toString();
    if (Files.isDirectory(path)) {
      throw new ConfigFileException(name, 0, "", "is a folder, not " + kind);
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(path)) {
      bytes = in.readNBytes(TopologyFiles.MOST_BYTES + 1);
    } catch (NoSuchFileException e) {
      throw new ConfigFileException(name, 0, "", "there is no such file");
    } catch (AccessDeniedException e) {
      throw new ConfigFileException(name, 0, "", "can't be read: permission denied");
    } catch (IOException e) {
      throw new ConfigFileException(name, 0, "", "can't be read: " + e.getMessage());
    }
    if (bytes.length > TopologyFiles.MOST_BYTES) {
      throw new ConfigFileException(
          name,
          0,
          "",
          "is larger than " + TopologyFiles.MOST_BYTES / (1 << 20) + " MiB, the most that is read");
    }
    return bytes;
  }

  /** The mapping that a file is. */
  static YamlMapping root(String name, byte[] bytes) throws ConfigFileException {
    return YamlMapping.of(name, "", compose(name, decode(name, bytes)));
  }

  static String decode(String name, byte[] bytes) throws ConfigFileException {
    String text;
    try {
      text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(bytes))
              .toString();
    } catch (CharacterCodingException e) {
      throw new ConfigFileException(name, 0, "", "is not text in UTF-8");
    }
    if (text.startsWith("\ufeff")) {
      text = text.substring(1);
    }
    int line = 1;
    int begin = 0;
    int depth = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (i - begin > TopologyFiles.LONGEST_LINE) {
        throw new ConfigFileException(
            name,
            line,
            "",
            "is longer than " + TopologyFiles.LONGEST_LINE + " characters, the most for a line");
      }
      if (c == '\n') {
        line++;
        begin = i + 1;
      } else if (c < ' ' && c != '\t' && c != '\r' || c == 0x7f) {
        throw new ConfigFileException(
            name,
            line,
            "",
            String.format(
                Locale.ROOT, "has a control character, 0x%02x: not a text file", (int) c));
      }
      // The parser recurses: brackets are counted first, generously, since they may be quoted.
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
      if (depth > TopologyFiles.MOST_BYTES / 1024) {
        throw new ConfigFileException(name, line, "", "nests too deeply");
      }
    }
    return text;
  }

  private static org.snakeyaml.engine.v2.nodes.Node compose(String name, String text)
      throws ConfigFileException {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(name)
            .setCodePointLimit(TopologyFiles.MOST_BYTES)
            .setMaxAliasesForCollections(MOST_ALIASES)
            .build();
    try {
      return new Compose(settings)
          .composeReader(new WholeCharacters(text))
          .orElseThrow(() -> new ConfigFileException(name, 0, "", "is empty"));
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().map(Mark::getLine).map(l -> l + 1).orElse(0);
      throw new ConfigFileException(name, line, "", "is not YAML or JSON: " + e.getProblem());
    } catch (YamlEngineException e) {
      throw new ConfigFileException(name, 0, "", "is not YAML or JSON: " + e.getMessage());
    } catch (StackOverflowError e) {
      throw new ConfigFileException(name, 0, "", "nests too deeply");
    }
  }
}
