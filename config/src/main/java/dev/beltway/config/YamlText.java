package dev.beltway.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** YAML of another system: sections by name, of whose fields only some are looked at. */
public final class YamlText {

  private YamlText() {}

  /** One section. */
  public static final class Section {

    private final String name;
    private final YamlMapping fields;

    private Section(String name, YamlMapping fields) {
      this.name = name;
      this.fields = fields;
    }

    /** Its name. */
    public String name() {
      return name;
    }

    /** A field's text. */
    public Optional<String> text(String field) throws ConfigFileException {
      return fields.text(field);
    }

    /** A field that is a list of texts. */
    public List<String> texts(String field) throws ConfigFileException {
      return fields.texts(field).orElseThrow(() -> fields.wrong(field, "is missing"));
    }
  }

  /**
   * The sections of a file, in its order.
   *
   * @throws ConfigFileException if it isn't YAML of sections with fields
   */
  public static List<Section> sections(String file, byte[] text) throws ConfigFileException {
    YamlMapping top = YamlFile.root(file, text);
    List<Section> sections = new ArrayList<>();
    for (String name : top.names()) {
      sections.add(new Section(name, top.mapping(name).orElseThrow()));
    }
    return sections;
  }
}
