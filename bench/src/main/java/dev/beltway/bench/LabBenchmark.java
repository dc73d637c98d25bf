package dev.beltway.bench;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * {@code beltway lab log} on a large log, as whole processes with a small heap, beside the tools of
 * the shell and a reader that does nothing with what it reads.
 */
final class LabBenchmark {

  private static final int KEYS = 10_000_000;
  private static final double EXPONENT = 0.99;
  private static final int ROUNDS = 5;
  private static final int SHELL_ROUNDS = 3;

  private LabBenchmark() {}

  /**
   * Runs it.
   *
   * @param arguments the folder for the logs, which take 13 bytes a line, twice, and the number of
   *     lines
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path folder = Files.createDirectories(Path.of(arguments[0]));
    long lines = Long.parseLong(arguments[1]);
    Path skewed = folder.resolve("zipf-" + lines + ".txt");
    Path different = folder.resolve("different-" + lines + ".txt");
    if (!Files.exists(skewed)) {
      System.out.println("writing " + skewed);
      ZipfLog.write(skewed, lines, EXPONENT, (int) Math.min(KEYS, lines));
    }
    if (!Files.exists(different)) {
      System.out.println("writing " + different);
      ZipfLog.writeDifferent(different, lines);
    }
    System.out.printf(
        Locale.ROOT,
        "%,d lines; %,d bytes by Zipf's law, exponent %.2f over %,d keys; %,d bytes, all different%n",
        lines,
        Files.size(skewed),
        EXPONENT,
        KEYS,
        Files.size(different));

    String report = folder.resolve("report.html").toString();
    List<String> bare = java("-Xmx256m", "dev.beltway.bench.BareReader", skewed.toString());
    List<String> lab = lab(report, skewed);
    List<String> labDifferent = lab(report, different);
    List<String> shell =
        List.of(
            "sh",
            "-c",
            "LC_ALL=C sort '" + skewed + "' | LC_ALL=C uniq -c | LC_ALL=C sort -rn | head -n 10");
    List<Double> bareSeconds = new ArrayList<>();
    List<Double> labSeconds = new ArrayList<>();
    List<Double> differentSeconds = new ArrayList<>();
    List<Double> shellSeconds = new ArrayList<>();
    run(bare); // So that the file is in memory for all of them alike.
    for (int round = 0; round < ROUNDS; round++) {
      bareSeconds.add(run(bare));
      labSeconds.add(run(lab));
      differentSeconds.add(run(labDifferent));
      if (round < SHELL_ROUNDS) {
        shellSeconds.add(run(shell));
      }
    }
    double labMedian = print("lab log, heap of 256 MB, with its report", labSeconds);
    print("lab log, the same, all keys different", differentSeconds);
    double bareMedian = print("bare reader: lines split, each hashed once", bareSeconds);
    double shellMedian = print("sort | uniq -c | sort -rn | head", shellSeconds);
    System.out.printf(
        Locale.ROOT,
        "lab log takes %.2f × the bare reader; sort takes %.2f × lab log%n",
        labMedian / bareMedian,
        shellMedian / labMedian);
  }

  private static List<String> lab(String report, Path log) {
    return java(
        "-Xmx256m",
        "dev.beltway.cli.Main",
        "lab",
        "log",
        "--topology",
        "examples/ten.yaml",
        "--report",
        report,
        log.toString());
  }

  private static List<String> java(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.add("-XX:+UseSerialGC");
    command.add(arguments[0]);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(Arrays.asList(arguments).subList(1, arguments.length));
    return command;
  }

  /** Seconds from start to end of a process, which must succeed. */
  private static double run(List<String> command) throws IOException, InterruptedException {
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    double seconds = (System.nanoTime() - start) / 1e9;
    if (code != 0) {
      throw new IllegalStateException("exit code " + code + " of " + command + "\n" + out);
    }
    return seconds;
  }

  private static double print(String name, List<Double> seconds) {
    double[] sorted = seconds.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    double median = sorted[sorted.length / 2];
    System.out.printf(
        Locale.ROOT,
        "%-45s %7.2f s   (%.2f to %.2f, %d runs)%n",
        name,
        median,
        sorted[0],
        sorted[sorted.length - 1],
        sorted.length);
    return median;
  }
}
