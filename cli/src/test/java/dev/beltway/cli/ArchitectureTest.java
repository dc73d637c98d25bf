package dev.beltway.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

/**
 * The arrows of ARCHITECTURE.md: every one points towards the core, and inside it towards the hash.
 */
@AnalyzeClasses(packages = "dev.beltway", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  private static ArchRule mayUse(String from, String... allowed) {
    String[] all = new String[allowed.length + 3];
    System.arraycopy(allowed, 0, all, 0, allowed.length);
    all[allowed.length] = from;
    all[allowed.length + 1] = "java..";
    all[allowed.length + 2] = "org.jspecify..";
    return classes()
        .that()
        .resideInAPackage(from)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(all);
  }

  private static final String HASH = "dev.beltway.hash..";
  private static final String TOKEN = "dev.beltway.token..";
  private static final String TOPOLOGY = "dev.beltway.topology..";
  private static final String PLACEMENT = "dev.beltway.placement..";
  private static final String BALANCE = "dev.beltway.balance..";
  private static final String PLAN = "dev.beltway.plan..";

  @ArchTest static final ArchRule HASH_NEEDS_HASH4J = mayUse(HASH, "com.dynatrace.hash4j..");
  @ArchTest static final ArchRule TOKEN_NEEDS_HASH = mayUse(TOKEN, HASH);
  @ArchTest static final ArchRule TOPOLOGY_NEEDS = mayUse(TOPOLOGY, HASH, TOKEN);
  @ArchTest static final ArchRule PLACEMENT_NEEDS = mayUse(PLACEMENT, HASH, TOKEN, TOPOLOGY);
  @ArchTest static final ArchRule BALANCE_NEEDS = mayUse(BALANCE, HASH, TOKEN, TOPOLOGY, PLACEMENT);

  @ArchTest
  static final ArchRule PLAN_NEEDS = mayUse(PLAN, HASH, TOKEN, TOPOLOGY, PLACEMENT, BALANCE);

  @ArchTest
  static final ArchRule CONFIG_NEEDS =
      mayUse("dev.beltway.config..", HASH, TOKEN, TOPOLOGY, "org.snakeyaml..");

  private static final String HANDOVER = "dev.beltway.handover..";
  private static final String HEALTH = "dev.beltway.health..";
  private static final String RESP_CODEC = "dev.beltway.resp.codec..";
  private static final String RESP_COMMAND = "dev.beltway.resp.command..";
  private static final String RESP_CLIENT = "dev.beltway.resp.client..";
  private static final String TELEMETRY = "dev.beltway.telemetry..";
  private static final String NETTY = "io.netty..";

  @ArchTest static final ArchRule HEALTH_NEEDS_NOTHING = mayUse(HEALTH);
  @ArchTest static final ArchRule CODEC_NEEDS_BUFFERS = mayUse(RESP_CODEC, "io.netty.buffer..");

  @ArchTest
  static final ArchRule COMMANDS_KNOW_NO_CONNECTIONS =
      mayUse(RESP_COMMAND, RESP_CODEC, "io.netty.buffer..");

  @ArchTest
  static final ArchRule CLIENT_NEEDS = mayUse(RESP_CLIENT, RESP_CODEC, NETTY, "javax.net.ssl..");

  @ArchTest
  static final ArchRule TELEMETRY_NEEDS =
      mayUse(TELEMETRY, "io.prometheus..", "com.sun.net.httpserver..");

  @ArchTest
  static final ArchRule PROXY_NEEDS =
      mayUse(
          "dev.beltway.proxy..",
          HASH,
          TOKEN,
          TOPOLOGY,
          PLACEMENT,
          BALANCE,
          HEALTH,
          HANDOVER,
          RESP_CODEC,
          RESP_COMMAND,
          RESP_CLIENT,
          TELEMETRY,
          NETTY,
          "org.apache.datasketches..",
          "org.slf4j..");

  /** No socket, thread or clock: what the simulation runs is what ships. */
  @ArchTest
  static final ArchRule HANDOVER_IS_PURE =
      noClasses()
          .that()
          .resideInAPackage(HANDOVER)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "java.net..", "java.nio.channels..", "java.util.concurrent..", "java.time..", NETTY);

  @ArchTest
  static final ArchRule HANDOVER_NEEDS =
      mayUse(HANDOVER, HASH, TOKEN, TOPOLOGY, PLACEMENT, BALANCE, PLAN);

  @ArchTest
  static final ArchRule CONTROL_KNOWS_NO_PROXY =
      noClasses()
          .that()
          .resideInAPackage("dev.beltway.control..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.beltway.proxy..", "dev.beltway.lab..");

  @ArchTest
  static final ArchRule PROXY_KNOWS_NO_CONTROL =
      noClasses()
          .that()
          .resideInAPackage("dev.beltway.proxy..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.beltway.control..");

  @ArchTest
  static final ArchRule ACCESS_AND_FAILOVER_ARE_PURE =
      noClasses()
          .that()
          .resideInAnyPackage("dev.beltway.proxy.access..", "dev.beltway.proxy.failover..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(NETTY, RESP_CLIENT, TELEMETRY, "java.io..", "java.net..");

  @ArchTest
  static final ArchRule LAB_NEEDS =
      mayUse(
          "dev.beltway.lab..",
          HASH,
          TOKEN,
          TOPOLOGY,
          PLACEMENT,
          BALANCE,
          PLAN,
          RESP_COMMAND,
          "com.fasterxml.jackson..",
          "com.dynatrace.hash4j.distinctcount..",
          "org.apache.datasketches..",
          "org.apache.commons.compress..",
          "com.github.luben.zstd..");

  @ArchTest
  static final ArchRule NOBODY_NEEDS_THE_CLI =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.beltway.cli..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.beltway.cli..");

  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLES =
      SlicesRuleDefinition.slices().matching("dev.beltway.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule NAMES_SAY_WHAT_A_THING_IS =
      noClasses()
          .should()
          .haveSimpleNameEndingWith("Manager")
          .orShould()
          .haveSimpleNameEndingWith("Util")
          .orShould()
          .haveSimpleNameEndingWith("Utils")
          .orShould()
          .haveSimpleNameEndingWith("Helper")
          .orShould()
          .haveSimpleNameEndingWith("Impl");

  @ArchTest
  static final ArchRule NO_CLOCK_OR_CHANCE_IN_THE_CORE =
      noClasses()
          .that()
          .resideInAnyPackage(HASH, TOKEN, TOPOLOGY, PLACEMENT, BALANCE, PLAN, HEALTH)
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.util.Random")
          .orShould()
          .dependOnClassesThat()
          .resideInAnyPackage("java.io..", "java.nio.file..", "java.net..", "java.time..");
}
