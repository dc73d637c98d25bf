package dev.beltway.config;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * One mapping of a file with its place, read field by field. Fields that nobody asked for are an
 * error at the end.
 */
final class YamlMapping {

  private static final Pattern INTEGER = Pattern.compile("[-+]?[0-9]{1,30}");
  private static final Pattern NUMBER =
      Pattern.compile("[-+]?([0-9]{1,40}(\\.[0-9]{0,40})?|\\.[0-9]{1,40})([eE][-+]?[0-9]{1,6})?");

  private final String file;
  private final String path;
  private final int line;
  private final Map<String, Node> fields = new LinkedHashMap<>();
  private final Map<String, Integer> lines = new LinkedHashMap<>();
  private final List<String> asked = new ArrayList<>();

  private YamlMapping(String file, String path, int line) {
    this.file = file;
    this.path = path;
    this.line = line;
  }

  static YamlMapping of(String file, String path, Node node) throws ConfigFileException {
    YamlMapping mapping = new YamlMapping(file, path, line(node));
    if (!(node instanceof MappingNode yaml)) {
      throw new ConfigFileException(
          file, line(node), path, "is " + describe(node) + " instead of fields with values");
    }
    for (NodeTuple tuple : yaml.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        throw new ConfigFileException(
            file, line(tuple.getKeyNode()), path, "has a field whose name is not plain text");
      }
      if (mapping.fields.putIfAbsent(key.getValue(), tuple.getValueNode()) != null) {
        throw new ConfigFileException(file, line(key), mapping.at(key.getValue()), "stands twice");
      }
      mapping.lines.put(key.getValue(), line(key));
    }
    return mapping;
  }

  static int line(Node node) {
    return node.getStartMark().map(Mark::getLine).map(l -> l + 1).orElse(0);
  }

  /** The line on which the mapping begins. */
  int line() {
    return line;
  }

  /** The line of a field, or of the mapping where the field is missing. */
  int line(String field) {
    return lines.getOrDefault(field, line);
  }

  /** The names of all fields, in their order. */
  List<String> names() {
    return List.copyOf(fields.keySet());
  }

  String at(String field) {
    return path.isEmpty() ? field : path + "." + field;
  }

  ConfigFileException wrong(String field, String problem) {
    return new ConfigFileException(file, line(field), at(field), problem);
  }

  private Optional<Node> value(String field) {
    asked.add(field);
    return Optional.ofNullable(fields.get(field));
  }

  private Optional<ScalarNode> scalar(String field, String wanted) throws ConfigFileException {
    Optional<Node> value = value(field);
    if (value.isEmpty()) {
      return Optional.empty();
    }
    if (!(value.get() instanceof ScalarNode scalar)) {
      throw wrong(field, "is " + describe(value.get()) + " instead of " + wanted);
    }
    if (isNull(scalar)) {
      throw wrong(field, "has no value; wanted is " + wanted + ", or leave the field out");
    }
    return Optional.of(scalar);
  }

  Optional<String> text(String field) throws ConfigFileException {
    return scalar(field, "text").map(ScalarNode::getValue);
  }

  Optional<Boolean> flag(String field) throws ConfigFileException {
    Optional<ScalarNode> scalar = scalar(field, "true or false");
    if (scalar.isEmpty()) {
      return Optional.empty();
    }
    return switch (plain(scalar.get())) {
      case "true" -> Optional.of(true);
      case "false" -> Optional.of(false);
      default -> throw wrong(field, shown(scalar.get()) + " is not true or false");
    };
  }

  Optional<Long> integer(String field, long least, long most) throws ConfigFileException {
    Optional<ScalarNode> scalar = scalar(field, "a whole number");
    if (scalar.isEmpty()) {
      return Optional.empty();
    }
    String text = plain(scalar.get());
    if (!INTEGER.matcher(text).matches()) {
      throw wrong(
          field, shown(scalar.get()) + " is not a whole number from " + least + " to " + most);
    }
    BigDecimal number = new BigDecimal(text);
    if (number.compareTo(BigDecimal.valueOf(least)) < 0
        || number.compareTo(BigDecimal.valueOf(most)) > 0) {
      throw wrong(field, text + " is outside " + least + " to " + most);
    }
    return Optional.of(number.longValueExact());
  }

  Optional<Double> number(String field, String allowed) throws ConfigFileException {
    Optional<ScalarNode> scalar = scalar(field, allowed);
    if (scalar.isEmpty()) {
      return Optional.empty();
    }
    String text = plain(scalar.get());
    if (!NUMBER.matcher(text).matches()) {
      throw wrong(field, shown(scalar.get()) + " is not " + allowed);
    }
    double number = Double.parseDouble(text);
    boolean vanished = number == 0 && text.split("[eE]")[0].matches(".*[1-9].*");
    if (vanished || Double.isInfinite(number)) {
      throw wrong(field, text + " is not " + allowed);
    }
    return Optional.of(number);
  }

  Optional<YamlMapping> mapping(String field) throws ConfigFileException {
    Optional<Node> value = value(field);
    return value.isEmpty() ? Optional.empty() : Optional.of(of(file, at(field), value.get()));
  }

  Optional<List<YamlMapping>> mappings(String field) throws ConfigFileException {
    Optional<Node> value = value(field);
    if (value.isEmpty()) {
      return Optional.empty();
    }
    if (!(value.get() instanceof SequenceNode sequence)) {
      throw wrong(field, "is " + describe(value.get()) + " instead of a list");
    }
    List<YamlMapping> mappings = new ArrayList<>();
    for (Node item : sequence.getValue()) {
      mappings.add(of(file, at(field) + "[" + mappings.size() + "]", item));
    }
    return Optional.of(mappings);
  }

  Optional<List<String>> texts(String field) throws ConfigFileException {
    Optional<Node> value = value(field);
    if (value.isEmpty()) {
      return Optional.empty();
    }
    if (!(value.get() instanceof SequenceNode sequence)) {
      throw wrong(field, "is " + describe(value.get()) + " instead of a list of texts");
    }
    List<String> texts = new ArrayList<>();
    for (Node item : sequence.getValue()) {
      if (!(item instanceof ScalarNode scalar) || isNull(scalar)) {
        throw new ConfigFileException(
            file,
            line(item),
            at(field) + "[" + texts.size() + "]",
            "is " + describe(item) + " instead of text");
      }
      texts.add(scalar.getValue());
    }
    return Optional.of(texts);
  }

  /** Makes a value. */
  interface Making<T> {
    T make();
  }

  /** Makes a value; what its constructor refuses is told with the place in the file. */
  <T> T made(String field, Making<T> making) throws ConfigFileException {
    try {
      return making.make();
    } catch (IllegalArgumentException e) {
      throw wrong(field, String.valueOf(e.getMessage()));
    }
  }

  /** Refuses the first field that nobody asked for. */
  void refuseOthers(String known) throws ConfigFileException {
    for (String field : fields.keySet()) {
      if (!asked.contains(field)) {
        throw new ConfigFileException(
            file, line(field), at(quoted(field)), "is not a field here; known are " + known);
      }
    }
  }

  private static String quoted(String field) {
    return field.matches("[A-Za-z0-9_-]{1,40}") ? field : "\"" + field + "\"";
  }

  /** The text of an unquoted scalar; a text that matches nothing for a quoted one. */
  private static String plain(ScalarNode scalar) {
    return scalar.getScalarStyle() == ScalarStyle.PLAIN ? scalar.getValue() : "\"";
  }

  private static String shown(ScalarNode scalar) {
    String text = scalar.getValue();
    String cut = text.length() > 60 ? text.substring(0, 60) + "…" : text;
    return scalar.getScalarStyle() == ScalarStyle.PLAIN ? cut : "the text \"" + cut + "\"";
  }

  private static boolean isNull(ScalarNode scalar) {
    String text = scalar.getValue();
    return scalar.getScalarStyle() == ScalarStyle.PLAIN
        && (text.isEmpty() || text.equals("~") || text.equalsIgnoreCase("null"));
  }

  private static String describe(Node node) {
    if (node instanceof ScalarNode scalar) {
      return isNull(scalar) ? "empty" : shown(scalar);
    }
    return node instanceof SequenceNode ? "a list" : "fields with values";
  }
}
