package dev.beltway.control.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.config.TopologyText;
import dev.beltway.control.console.Pages;
import dev.beltway.control.store.ClusterStore;
import dev.beltway.control.store.Codec;
import dev.beltway.handover.Change;
import dev.beltway.handover.MoveOptions;
import dev.beltway.telemetry.ControlMetrics;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import io.javalin.Javalin;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.HandlerType;
import io.javalin.http.Header;
import io.javalin.http.SameSite;
import io.javalin.http.sse.SseClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP API, below {@code /v1}; {@code /v1/openapi.json} describes it. Errors are problem+json
 * with the reason and the remedy. What changes something is never done by GET.
 */
public final class Api implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Api.class);

  private static final int MOST_BODY = 8 << 20;
  private static final int MOST_SMALL_BODY = 256 << 10;
  private static final int MOST_LOGIN = 4 << 10;

  /** How many large bodies are in memory at a time. */
  private final Semaphore large = new Semaphore(2);

  private final Semaphore logins = new Semaphore(16);

  /** A body that trickles more slowly than this is given up: it holds a thread meanwhile. */
  private static final long LEAST_BYTES_A_SECOND = 2_000;

  private static final long GRACE_SECONDS = 3;

  /** A connection on which nothing comes or goes; listeners to events get a sign of life. */
  private static final long IDLE_MILLIS = 10_000;

  private static final int MOST_CONNECTIONS = 2_000;
  private static final int MOST_AUDIT = 1_000;
  private static final long EVENT_MILLIS = 100;
  private static final long BEAT_MILLIS = 2_000;
  private static final String MAY = "may";
  private static final int MOST_EDITS = 2_000;

  /** By which a GET would become something else. */
  private static final String OVERRIDE = "X-HTTP-Method-Override";

  /** A page of somebody else's can't send it without asking this server first. */
  private static final String CONSOLE = "X-Beltway-Console";

  /**
   * How proxies reach the store.
   *
   * @param servers of ZooKeeper
   * @param cluster its name
   * @param secret that opens what is stored
   * @param control the control database at nodes
   */
  public record Coordination(String servers, String cluster, String secret, int control) {}

  private final ClusterStore store;
  private final Changes changes;
  private final Status status;
  private final ApiKeys keys;
  private final Coordination coordination;
  private final Optional<Sandbox> sandbox;
  private final Javalin server;
  private final Sessions sessions = new Sessions(System::nanoTime);
  private final Pages pages = new Pages();
  private final Object starting = new Object();
  private final Streams streams = new Streams();
  private final ScheduledExecutorService events =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "beltway-events");
            thread.setDaemon(true);
            return thread;
          });
  private String told = "";

  /**
   * Starts it.
   *
   * @param tls how it is encrypted; null for not at all
   * @param sandbox starts nodes' servers, where that can be done
   * @throws IOException if it can't listen there
   */
  public Api(
      InetSocketAddress listen,
      ClusterStore store,
      ApiKeys keys,
      Coordination coordination,
      SslContextFactory.@Nullable Server tls,
      Optional<Sandbox> sandbox)
      throws IOException {
    this.store = store;
    this.changes = new Changes(store);
    this.sandbox = sandbox;
    this.status = new Status(store, sandbox);
    this.keys = keys;
    this.coordination = coordination;
    this.server =
        Javalin.create(
            config -> {
              config.startup.showJavalinBanner = false;
              config.http.maxRequestSize = MOST_BODY;
              config.jetty.addConnector(
                  (jetty, http) -> {
                    http.setSendServerVersion(false);
                    SecureRequestCustomizer secure =
                        http.getCustomizer(SecureRequestCustomizer.class);
                    if (secure != null) { // Health checks go by the address.
                      secure.setSniHostCheck(false);
                    }
                    jetty.addBean(new NetworkConnectionLimit(MOST_CONNECTIONS, jetty));
                    ServerConnector connector =
                        tls == null
                            ? new ServerConnector(jetty, new HttpConnectionFactory(http))
                            : new ServerConnector(jetty, tls, new HttpConnectionFactory(http));
                    connector.setHost(listen.getHostString());
                    connector.setPort(listen.getPort());
                    connector.setIdleTimeout(IDLE_MILLIS);
                    return connector;
                  });
              routes(config.routes);
            });
    try {
      server.start();
    } catch (RuntimeException e) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      throw new IOException(
          "can't listen on "
              + listen.getHostString()
              + ":"
              + listen.getPort()
              + ": "
              + cause.getMessage(),
          e);
    }
    events.scheduleAtFixedRate(this::tell, EVENT_MILLIS, EVENT_MILLIS, TimeUnit.MILLISECONDS);
    events.scheduleWithFixedDelay(
        () -> streams.beat(session -> sessions.caller(session).isPresent()),
        BEAT_MILLIS,
        BEAT_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  /** The port that it listens on. */
  public int port() {
    return server.port();
  }

  /** What a request is answered with. */
  private interface Answer {
    JsonNode of(Context context) throws Problem, IOException;
  }

  private void routes(RoutesConfig routes) {
    routes.before(Api::guard);
    routes.get("/", context -> page(context, "index.html"));
    routes.get(
        "/console/<name>", context -> page(context, String.valueOf(context.pathParam("name"))));
    routes.get("/v1/session", context -> answer(context, ApiKeys.Role.VIEW, this::session));
    routes.post("/v1/session", this::logIn);
    routes.delete("/v1/session", this::logOut);
    get(routes, "/v1/hot", ApiKeys.Role.VIEW, context -> status.hot());
    get(routes, "/v1/ranges", ApiKeys.Role.VIEW, this::ranges);
    get(routes, "/v1/epochs/{epoch}/diff", ApiKeys.Role.VIEW, this::diff);
    // Whoever may look may try a change on paper.
    routes.post("/v1/changes", context -> answer(context, ApiKeys.Role.VIEW, this::changeSeveral));
    routes.get("/healthz", context -> context.result("ok\n"));
    routes.get("/v1/openapi.json", this::openApi);
    routes.get("/metrics", this::metrics);
    get(routes, "/v1/status", ApiKeys.Role.VIEW, context -> status.all());
    get(routes, "/v1/epochs", ApiKeys.Role.VIEW, context -> status.epochs());
    get(routes, "/v1/epochs/{epoch}", ApiKeys.Role.VIEW, this::epoch);
    get(routes, "/v1/audit", ApiKeys.Role.VIEW, this::audit);
    get(routes, "/v1/proxies", ApiKeys.Role.VIEW, context -> status.proxies());
    get(routes, "/v1/coordination", ApiKeys.Role.OPERATE, context -> coordination());
    get(routes, "/v1/backup", ApiKeys.Role.ADMIN, context -> changes.backup());
    routes.post("/v1/nodes", context -> answer(context, ApiKeys.Role.OPERATE, this::addNode));
    routes.patch(
        "/v1/nodes/{id}", context -> answer(context, ApiKeys.Role.OPERATE, this::changeNode));
    routes.delete(
        "/v1/nodes/{id}", context -> answer(context, ApiKeys.Role.OPERATE, this::removeNode));
    routes.put(
        "/v1/topology",
        context -> answer(context, ApiKeys.Role.OPERATE, c -> withRoom(() -> this.putTopology(c))));
    routes.post("/v1/rollback", context -> answer(context, ApiKeys.Role.OPERATE, this::rollback));
    routes.post(
        "/v1/abort",
        context -> answer(context, ApiKeys.Role.OPERATE, c -> changes.abort(asked(c, body(c)))));
    routes.post(
        "/v1/resume",
        context -> answer(context, ApiKeys.Role.OPERATE, c -> changes.resume(asked(c, body(c)))));
    routes.post(
        "/v1/pause",
        context -> answer(context, ApiKeys.Role.OPERATE, c -> changes.pause(asked(c, body(c)))));
    get(routes, "/v1/migration", ApiKeys.Role.VIEW, context -> status.migration());
    get(routes, "/v1/moves", ApiKeys.Role.VIEW, context -> status.moves(limit(context)));
    routes.patch("/v1/migration", context -> answer(context, ApiKeys.Role.OPERATE, this::throttle));
    get(routes, "/v1/scrub", ApiKeys.Role.VIEW, context -> status.scrub());
    routes.post("/v1/scrub", context -> answer(context, ApiKeys.Role.OPERATE, this::scrub));
    routes.delete(
        "/v1/proxies/{name}",
        context ->
            answer(
                context,
                ApiKeys.Role.OPERATE,
                c -> changes.forget(c.pathParam("name"), asked(c, Codec.object()))));
    routes.post(
        "/v1/restore",
        context ->
            answer(
                context,
                ApiKeys.Role.ADMIN,
                c ->
                    withRoom(() -> changes.restore(body(c, MOST_BODY), asked(c, Codec.object())))));
    routes.before("/v1/events", this::admit);
    routes.sse("/v1/events", this::stream);
    routes.exception(
        Exception.class,
        (e, context) -> {
          LOG.error("a fault of this program at {}", context.path(), e);
          problem(
              context,
              new Problem(500, "A fault of this program", e.toString(), "look at its log"));
        });
    routes.error(
        404,
        context -> {
          if (!String.valueOf(context.res().getContentType()).contains("problem")) {
            problem(
                context,
                Problem.missing(
                    "nothing is at " + shown(context.path()), "/v1/openapi.json lists all"));
          }
        });
  }

  /** What takes much memory. */
  private interface LargeWork {
    JsonNode run() throws Problem, IOException;
  }

  private JsonNode withRoom(LargeWork work) throws Problem, IOException {
    if (!large.tryAcquire()) {
      throw new Problem(
          503, "Too much at once", "other large requests are under way", "try again in a second");
    }
    try {
      return work.run();
    } finally {
      large.release();
    }
  }

  private static String shown(String path) {
    String text = path.length() > 100 ? path.substring(0, 100) : path;
    return text.replaceAll("[^ -~]", "?");
  }

  private void get(RoutesConfig routes, String path, ApiKeys.Role role, Answer answer) {
    routes.get(path, context -> answer(context, role, answer));
  }

  // ---------------------------------------------------------------- callers

  private void answer(Context context, ApiKeys.Role role, Answer answer) {
    try {
      context.attribute(MAY, permitted(context, role));
      JsonNode document = answer.of(context);
      context.contentType("application/json");
      context.result(Codec.bytes(document));
    } catch (Problem e) {
      problem(context, e);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("reason", e.getMessage()).log("the store can't be asked");
      problem(
          context,
          new Problem(
              503,
              "The store can't be asked",
              String.valueOf(e.getMessage()),
              "look whether ZooKeeper has a majority; proxies go on serving meanwhile"));
    }
  }

  private ApiKeys.Caller permitted(Context context, ApiKeys.Role role) throws Problem {
    String header = context.header(Header.AUTHORIZATION);
    String key = header != null && header.startsWith("Bearer ") ? header.substring(7) : null;
    boolean foreign = isForeign(context);
    if (keys.isOpen() && (foreign || !isLocal(context))) {
      // Without keys a page of somebody else's, in a browser on this machine, must do nothing.
      throw notFromHere("use the CLI");
    }
    Optional<ApiKeys.Caller> caller =
        key == null && !keys.isOpen() ? loggedIn(context) : keys.caller(key);
    if (caller.isEmpty()) {
      throw new Problem(
          401,
          "No valid API key",
          key == null ? "the request has no API key" : "nobody has this API key",
          "send Authorization: Bearer KEY; the CLI takes it from BELTWAY_API_KEY");
    }
    if (caller.get().role().compareTo(role) < 0) {
      throw new Problem(
          403,
          "Not permitted",
          caller.get().name() + " may " + caller.get().role() + ", this needs " + role,
          "use a key of that role");
    }
    return caller.get();
  }

  /** By the cookie of the console; with it nothing is changed unless the console itself asks. */
  private Optional<ApiKeys.Caller> loggedIn(Context context) throws Problem {
    Optional<ApiKeys.Caller> caller = sessions.caller(context.cookie(Sessions.COOKIE));
    boolean reads = List.of(HandlerType.GET, HandlerType.HEAD).contains(context.method());
    if (caller.isPresent() && !reads) {
      boolean foreign = isForeign(context);
      if (foreign || context.header(CONSOLE) == null) {
        throw new Problem(
            403,
            "Not from here",
            "a request by cookie did not come from the console",
            "send Authorization: Bearer KEY instead");
      }
    }
    return caller;
  }

  private static void guard(Context context) {
    if (context.header(OVERRIDE) != null) {
      problem(
          context,
          Problem.bad(OVERRIDE + " is not obeyed", "send the request by the method that it is of"));
      context.skipRemainingHandlers();
    }
    context.header("Content-Security-Policy", Pages.POLICY);
    context.header("X-Content-Type-Options", "nosniff");
    context.header("X-Frame-Options", "DENY");
    context.header("Referrer-Policy", "no-referrer");
    context.header("Cross-Origin-Opener-Policy", "same-origin");
    context.header("Cross-Origin-Resource-Policy", "same-origin");
  }

  private void page(Context context, String name) throws IOException {
    Optional<Pages.Page> found = pages.page(name);
    if (found.isEmpty()) {
      problem(context, Problem.missing("there is no page " + shown(name), "the console is at /"));
      return;
    }
    context.header("Cache-Control", "no-cache");
    context.header("ETag", found.get().tag());
    if (found.get().tag().equals(context.header("If-None-Match"))) {
      context.status(304);
      return;
    }
    context.contentType(found.get().type());
    context.result(found.get().open());
  }

  // ---------------------------------------------------------------- sessions

  private JsonNode session(Context context) {
    ApiKeys.Caller caller = context.attribute(MAY);
    ObjectNode root = Codec.object().put("open", keys.isOpen());
    if (caller != null) {
      root.put("name", caller.name());
      root.put("role", caller.role().name().toLowerCase(Locale.ROOT));
    }
    root.put("starts", sandbox.isPresent());
    return root;
  }

  private void logIn(Context context) {
    boolean room = logins.tryAcquire();
    try {
      if (!room) { // Whoever has no key holds so many threads at most.
        throw new Problem(
            503, "Too many log in", "others do at this moment", "try again in a second");
      }
      if (isForeign(context)) {
        throw notFromHere("use the console");
      }
      String key = required(body(context, MOST_LOGIN), "key");
      ApiKeys.Caller caller =
          keys.caller(key)
              .orElseThrow(
                  () ->
                      new Problem(
                          401, "No valid API key", "nobody has this API key", "look for a typo"));
      sessions.end(context.cookie(Sessions.COOKIE));
      Cookie cookie = new Cookie(Sessions.COOKIE, sessions.begin(caller));
      cookie.setHttpOnly(true);
      cookie.setSameSite(SameSite.STRICT);
      cookie.setSecure(context.req().isSecure());
      context.cookie(cookie);
      context.attribute(MAY, caller);
      context.contentType("application/json");
      context.result(Codec.bytes(session(context)));
    } catch (Problem e) {
      problem(context, e);
    } finally {
      if (room) {
        logins.release();
      }
    }
  }

  private void logOut(Context context) {
    boolean foreign = isForeign(context);
    if (foreign || context.header(CONSOLE) == null) {
      problem(context, notFromHere("use the console"));
      return;
    }
    sessions.end(context.cookie(Sessions.COOKIE));
    context.removeCookie(Sessions.COOKIE);
    context.status(204);
  }

  /** Without keys, a name that somebody has pointed at this machine must not let anybody in. */
  private static boolean isLocal(Context context) {
    String host = String.valueOf(context.header(Header.HOST)).replaceAll(":[0-9]{1,5}$", "");
    return host.matches("localhost|127\\.[0-9.]+|\\[::1]");
  }

  private static Problem notFromHere(String remedy) {
    return new Problem(403, "Not from here", "requests of other web pages are refused", remedy);
  }

  /** Whether it comes from a page of another server; what is no browser doesn't say. */
  private static boolean isForeign(Context context) {
    return context.header(Header.ORIGIN) != null && !isOwn(context);
  }

  private static boolean isOwn(Context context) {
    String origin = String.valueOf(context.header(Header.ORIGIN));
    String host = String.valueOf(context.header(Header.HOST));
    return origin.equals("http://" + host) || origin.equals("https://" + host);
  }

  private static void problem(Context context, Problem problem) {
    ObjectNode document = Codec.object();
    document.put("type", "about:blank");
    document.put("title", problem.title());
    document.put("status", problem.status());
    document.put("detail", problem.getMessage());
    document.put("remedy", problem.remedy());
    context.status(problem.status());
    context.contentType("application/problem+json");
    context.result(Codec.bytes(document));
  }

  private static JsonNode body(Context context) throws Problem {
    return body(context, MOST_SMALL_BODY);
  }

  private static JsonNode body(Context context, int most) throws Problem {
    byte[] bytes = bytes(context, most);
    if (bytes.length == 0) {
      return Codec.object();
    }
    try {
      JsonNode body = Codec.read(bytes);
      if (!body.isObject()) {
        throw Problem.bad("the body is no JSON object", "send one");
      }
      return body;
    } catch (IOException e) {
      throw Problem.bad("the body is no JSON", "send a JSON object");
    }
  }

  /** All of a body, if it is no larger than that, and doesn't trickle. */
  private static byte[] bytes(Context context, int most) throws Problem {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] some = new byte[8192];
    long begun = System.nanoTime();
    try {
      InputStream in = context.bodyInputStream();
      for (int read = in.read(some); read >= 0; read = in.read(some)) {
        all.write(some, 0, read);
        if (all.size() > most) {
          throw new Problem(
              413, "The body is too large", "it has more than " + most + " bytes", "send less");
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
        if (seconds > GRACE_SECONDS + all.size() / LEAST_BYTES_A_SECOND) {
          throw new Problem(408, "The body comes too slowly", "it trickles", "send it at once");
        }
      }
      return all.toByteArray();
    } catch (IOException | HttpException.RuntimeException e) {
      throw new Problem(408, "The body did not come", "it broke off", "send it again");
    }
  }

  private static final Set<String> NODE_FIELDS = Set.of("id", "address", "weight", "zone");

  private static final Set<String> FIELDS =
      Set.of(
          "id",
          "address",
          "weight",
          "zone",
          "why",
          "dryRun",
          "epoch",
          "to",
          "force",
          "canary",
          "keysPerSecond",
          "bytesPerSecond",
          "weights",
          "add",
          "remove",
          "ranges",
          "verify",
          "step",
          "checkBetween",
          "repair");

  private static Changes.Asked asked(Context context, JsonNode body) throws Problem {
    for (Map.Entry<String, JsonNode> field : body.properties()) {
      if (!FIELDS.contains(field.getKey())) {
        throw Problem.bad(
            "there is no field \"" + shown(field.getKey()) + "\"", "/v1/openapi.json has them all");
      }
    }
    ApiKeys.Caller caller = context.attribute(MAY);
    String who = caller == null ? "" : caller.name();
    String user = context.header("X-Beltway-User");
    if (user != null && user.matches("[ -~]{1,60}")) {
      who = who + " (" + user + ")";
    }
    String why = body.path("why").asText(String.valueOf(queried(context, "why")));
    if (why.length() > Change.LONGEST) {
      throw Problem.bad("why has " + why.length() + " characters", "at most " + Change.LONGEST);
    }
    MoveOptions options;
    try {
      options =
          new MoveOptions(
              (long) amount(context, body, "keysPerSecond", MoveOptions.MOST),
              (long) amount(context, body, "bytesPerSecond", MoveOptions.MOST),
              flag(context, body, "verify"));
    } catch (IllegalArgumentException e) {
      throw Problem.bad(String.valueOf(e.getMessage()), "keys or bytes a second; 0 for no limit");
    }
    if (flag(context, body, "checkBetween") && amount(context, body, "step", 0.5) == 0) {
      throw Problem.bad("checkBetween without a step", "state a step: a share such as 0.1");
    }
    return new Changes.Asked(
        who,
        why,
        flag(context, body, "dryRun"),
        epoch(body),
        flag(context, body, "force"),
        options,
        amount(context, body, "canary", 0.5),
        amount(context, body, "step", 0.5),
        flag(context, body, "checkBetween"));
  }

  /** The epoch that must hold; 0 where it may be any. */
  private static long epoch(JsonNode body) throws Problem {
    JsonNode epoch = body.path("epoch");
    if (epoch.isMissingNode()) {
      return 0;
    }
    if (!epoch.isIntegralNumber() || !epoch.canConvertToLong() || epoch.asLong() < 1) {
      throw Problem.bad(
          "epoch " + shown(epoch.toString()) + " is none", "a whole number, 1 or more");
    }
    return epoch.asLong();
  }

  private static boolean flag(Context context, JsonNode body, String name) throws Problem {
    JsonNode value = body.path(name);
    if (!value.isMissingNode() && !value.isBoolean()) {
      throw Problem.bad(name + " " + value + " is neither true nor false", "state one of them");
    }
    return value.asBoolean(false) || "true".equals(queried(context, name));
  }

  private static double amount(Context context, JsonNode body, String name, double most)
      throws Problem {
    JsonNode value = body.path(name);
    String text = value.isMissingNode() ? queried(context, name) : value.asText();
    double amount;
    if (!value.isMissingNode() && !value.isNumber()) {
      throw Problem.bad(name + " " + shown(value.toString()) + " is no number", "a number");
    }
    try {
      amount = text.isEmpty() ? 0 : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw Problem.bad(name + " \"" + shown(text) + "\" is no number", "0 to " + most);
    }
    if (!(amount >= 0 && amount <= most)) {
      String range = "0 to " + (most < 1 ? Double.toString(most) : Long.toString((long) most));
      throw Problem.bad(name + " " + shown(text) + " is out of range", range);
    }
    return amount;
  }

  private static String queried(Context context, String name) {
    String value = context.queryParam(name);
    return value == null ? "" : value;
  }

  // ---------------------------------------------------------------- answers

  private JsonNode epoch(Context context) throws Problem, IOException {
    long epoch = known(context.pathParam("epoch"));
    return Codec.object()
        .put("epoch", epoch)
        .put("topology", TopologyText.yaml(store.topology(epoch)));
  }

  private static long number(String text, String what) throws Problem {
    if (!text.matches("[0-9]{1,15}")) {
      throw Problem.bad(what + " \"" + shown(text) + "\" is no number", "a whole number");
    }
    return Long.parseLong(text);
  }

  private static int limit(Context context) throws Problem {
    String limit = queried(context, "limit");
    long most = limit.isEmpty() ? 50 : number(limit, "limit");
    if (most < 1 || most > MOST_AUDIT) {
      throw Problem.bad("limit " + most + " is outside 1 to " + MOST_AUDIT, "ask for fewer");
    }
    return (int) most;
  }

  private JsonNode audit(Context context) throws Problem, IOException {
    ArrayNode all = Codec.object().putArray("audit");
    store.audit(limit(context)).forEach(entry -> all.add(entry.json()));
    return all;
  }

  private JsonNode coordination() {
    return Codec.object()
        .put("servers", coordination.servers())
        .put("cluster", coordination.cluster())
        .put("secret", coordination.secret())
        .put("control", coordination.control());
  }

  private JsonNode addNode(Context context) throws Problem, IOException {
    JsonNode body = body(context);
    String id = required(body, "id");
    Changes.Asked asked = asked(context, body);
    context.status(asked.dryRun() ? 200 : 202);
    List<Joining> joining = List.of(new Joining(id, body));
    return changeWith(joining, "add node " + id, asked, false, now -> now);
  }

  private static Node added(String id, String address, JsonNode body) throws Problem {
    if (address.isEmpty()) {
      throw Problem.bad("the body has no address", "state it");
    }
    try {
      return edited(Node.of(id).withAddress(address), body);
    } catch (IllegalArgumentException e) {
      throw Problem.bad(String.valueOf(e.getMessage()), "ask for something that it allows");
    }
  }

  /** A node that is to join, as it was asked for. */
  private record Joining(String id, JsonNode body) {

    boolean hasAddress() {
      return !body.path("address").asText().isEmpty();
    }
  }

  /** How a topology becomes another one, but for the nodes that join. */
  private interface Rest {
    Topology apply(Topology now) throws Problem;
  }

  /**
   * A change in which nodes join. Those without an address get a server where that can be done: not
   * on paper, and only after the change has been looked at on paper, so that a refused one starts
   * nothing.
   */
  private ObjectNode changeWith(
      List<Joining> joining, String what, Changes.Asked asked, boolean ranges, Rest rest)
      throws Problem, IOException {
    Map<String, String> addresses = new HashMap<>();
    boolean starts = false;
    for (Joining each : joining) {
      if (!each.hasAddress()) {
        boolean nowhere = sandbox.isEmpty() && !asked.dryRun();
        if (nowhere) {
          throw Problem.bad("node " + shown(each.id()) + " has no address", "state it");
        }
        if (sandbox.isPresent() && !each.id().matches("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")) {
          throw Problem.bad(
              "a server can't be started for the id " + shown(each.id()),
              "up to 64 letters, digits, dots, dashes and underscores; or state an address");
        }
        starts |= sandbox.isPresent();
        addresses.put(each.id(), "to-be-started-" + addresses.size() + ":1");
      }
    }
    if (!starts || asked.dryRun()) {
      return changes.change(what, asked, edit(joining, addresses, rest), ranges);
    }
    synchronized (starting) { // Of several at once the first one alone starts something.
      return startAndChange(joining, addresses, what, asked, rest);
    }
  }

  private ObjectNode startAndChange(
      List<Joining> joining,
      Map<String, String> addresses,
      String what,
      Changes.Asked asked,
      Rest rest)
      throws Problem, IOException {
    changes.requireIdle(asked);
    changes.change(what, asked.onPaper(), edit(joining, addresses, rest), false);
    for (Joining each : joining) {
      if (!each.hasAddress()) {
        try {
          addresses.put(each.id(), sandbox.orElseThrow().serve(each.id()));
        } catch (IOException e) {
          throw Problem.conflict(
              "a server for " + each.id() + " can't be started: " + e.getMessage(),
              "state an address");
        }
      }
    }
    return changes.change(what, asked, edit(joining, addresses, rest), false);
  }

  private static Changes.Edit edit(
      List<Joining> joining, Map<String, String> addresses, Rest rest) {
    return now -> {
      Topology next = now;
      for (Joining each : joining) {
        if (now.node(each.id()).isPresent()) {
          throw Problem.conflict(
              "there is a node " + shown(each.id()) + " already", "choose another id");
        }
        String stated = each.body().path("address").asText();
        next = next.plus(added(each.id(), addresses.getOrDefault(each.id(), stated), each.body()));
      }
      return rest.apply(next);
    };
  }

  private static String required(JsonNode body, String field) throws Problem {
    String value = body.path(field).asText();
    if (value.isEmpty()) {
      throw Problem.bad("the body has no " + field, "state it");
    }
    return value;
  }

  private static Node edited(Node node, JsonNode body) throws Problem {
    Node next = node;
    try {
      if (body.has("weight")) {
        if (!body.get("weight").isNumber()) {
          throw Problem.bad("weight " + body.get("weight") + " is no number", "0 or more");
        }
        next = next.withWeight(body.get("weight").asDouble());
      }
      if (body.has("zone")) {
        next = next.withZone(body.get("zone").asText());
      }
      if (body.has("address")) {
        next = next.withAddress(body.get("address").asText());
      }
    } catch (IllegalArgumentException e) {
      throw Problem.bad(String.valueOf(e.getMessage()), "ask for something that it allows");
    }
    return next;
  }

  private static Node existing(Topology now, String id) throws Problem {
    return now.node(id)
        .orElseThrow(
            () -> Problem.missing("there is no node " + shown(id), "beltway node list names them"));
  }

  private JsonNode changeNode(Context context) throws Problem, IOException {
    JsonNode body = body(context);
    String id = context.pathParam("id");
    String what =
        body.has("weight")
            ? "weight " + body.get("weight").asText() + " for node " + id
            : "change node " + id;
    context.status(body.path("dryRun").asBoolean() ? 200 : 202);
    return changes.change(
        what, asked(context, body), now -> now.with(edited(existing(now, id), body)));
  }

  private JsonNode removeNode(Context context) throws Problem, IOException {
    String id = context.pathParam("id");
    Changes.Asked asked = asked(context, Codec.object());
    context.status(asked.dryRun() ? 200 : 202);
    return changes.change(
        "remove node " + id,
        asked,
        now -> {
          existing(now, id);
          return now.minus(id);
        });
  }

  private JsonNode putTopology(Context context) throws Problem, IOException {
    Topology wanted = Changes.parse("topology", bytes(context, MOST_BODY));
    Changes.Asked asked = asked(context, Codec.object());
    context.status(asked.dryRun() ? 200 : 202);
    return changes.apply(wanted, asked);
  }

  /** Weights, joins and leaves as one change, or on paper. */
  private JsonNode changeSeveral(Context context) throws Problem, IOException {
    JsonNode body = body(context);
    Changes.Asked asked = asked(context, body);
    if (!asked.dryRun()) {
      permitted(context, ApiKeys.Role.OPERATE);
    }
    JsonNode weights = typed(body, "weights", body.path("weights").isObject());
    JsonNode add = typed(body, "add", body.path("add").isArray());
    JsonNode remove = typed(body, "remove", body.path("remove").isArray());
    for (JsonNode id : remove) {
      if (!id.isTextual() || weights.has(id.asText())) {
        throw Problem.bad(
            "remove " + shown(id.toString()) + " is no id, or has a weight beside it",
            "state each node once");
      }
    }
    int edits = weights.size() + add.size() + remove.size();
    if (edits < 1 || edits > MOST_EDITS) {
      throw Problem.bad(
          edits + " edits are outside 1 to " + MOST_EDITS,
          "state weights {ID: WEIGHT}, add [{id, address, weight, zone}], remove [ID]");
    }
    List<String> what = new ArrayList<>();
    List<Joining> joining = new ArrayList<>();
    for (JsonNode each : add) {
      for (Map.Entry<String, JsonNode> field : each.properties()) {
        if (!NODE_FIELDS.contains(field.getKey())) {
          throw Problem.bad(
              "a node has no field \"" + shown(field.getKey()) + "\"",
              "id, address, weight and zone");
        }
      }
      String id = required(each, "id");
      joining.add(new Joining(id, each));
      what.add("add " + id);
    }
    weights
        .properties()
        .forEach(each -> what.add(each.getKey() + " weight " + each.getValue().asText()));
    remove.forEach(each -> what.add("remove " + each.asText()));
    context.status(asked.dryRun() ? 200 : 202);
    return changeWith(
        joining,
        String.join(", ", what),
        asked,
        flag(context, body, "ranges"),
        now -> {
          Topology next = now;
          for (Map.Entry<String, JsonNode> each : weights.properties()) {
            ObjectNode edit = Codec.object().set("weight", each.getValue());
            next = next.with(edited(existing(now, each.getKey()), edit));
          }
          for (JsonNode id : remove) {
            existing(now, id.asText());
            next = next.minus(id.asText());
          }
          return next;
        });
  }

  private static JsonNode typed(JsonNode body, String field, boolean right) throws Problem {
    if (body.has(field) && !right) {
      throw Problem.bad(
          field + " is not as it should be",
          "weights is an object of numbers by id, add and remove are lists");
    }
    return body.path(field);
  }

  private JsonNode ranges(Context context) throws Problem, IOException {
    String epoch = queried(context, "epoch");
    return status.ranges(epoch.isEmpty() ? changes.read().routing().state().epoch() : known(epoch));
  }

  private long known(String text) throws Problem, IOException {
    long epoch = number(text, "epoch");
    if (!store.epochs().contains(epoch)) {
      throw Problem.missing("there is no epoch " + epoch, "/v1/epochs lists them");
    }
    return epoch;
  }

  private JsonNode diff(Context context) throws Problem, IOException {
    return changes.diff(known(queried(context, "from")), known(context.pathParam("epoch")));
  }

  private JsonNode rollback(Context context) throws Problem, IOException {
    JsonNode body = body(context);
    if (!body.path("to").isIntegralNumber() || !body.path("to").canConvertToLong()) {
      throw Problem.bad("the body has no epoch to go back to", "state \"to\": a whole number");
    }
    context.status(body.path("dryRun").asBoolean() ? 200 : 202);
    return changes.rollback(body.get("to").asLong(), asked(context, body));
  }

  private JsonNode throttle(Context context) throws Problem, IOException {
    JsonNode body = body(context);
    if (!body.has("keysPerSecond") && !body.has("bytesPerSecond")) {
      throw Problem.bad("the body has no rate", "state keysPerSecond, bytesPerSecond or both");
    }
    Changes.Asked asked = asked(context, body);
    MoveOptions wanted = asked.options();
    return changes.throttle(
        body.has("keysPerSecond") ? OptionalLong.of(wanted.keysPerSecond()) : OptionalLong.empty(),
        body.has("bytesPerSecond")
            ? OptionalLong.of(wanted.bytesPerSecond())
            : OptionalLong.empty(),
        asked);
  }

  private JsonNode scrub(Context context) throws Problem, IOException {
    JsonNode body = body(context);
    Changes.Asked asked = asked(context, body);
    context.status(202);
    return changes.scrub(flag(context, body, "repair"), asked);
  }

  private void metrics(Context context) {
    try {
      permitted(context, ApiKeys.Role.VIEW);
      context.result(ControlMetrics.page(status.reading()));
      context.contentType(ControlMetrics.CONTENT_TYPE);
    } catch (Problem e) {
      problem(context, e);
    } catch (IOException e) {
      context.status(503).result("the store can't be asked");
    }
  }

  private void openApi(Context context) throws IOException {
    try (InputStream in = Api.class.getResourceAsStream("/dev/beltway/control/openapi.json")) {
      if (in == null) {
        throw new IOException("the description is missing");
      }
      context.contentType("application/json");
      context.result(in.readAllBytes());
    }
  }

  // ---------------------------------------------------------------- events

  /** Before a stream has begun it can still be refused as anything else is. */
  private void admit(Context context) {
    try {
      permitted(context, ApiKeys.Role.VIEW);
      if (streams.isFull()) {
        throw full();
      }
    } catch (Problem e) {
      problem(context, e);
      context.skipRemainingHandlers();
    }
  }

  private static Problem full() {
    return new Problem(
        503, "Too many listeners", Streams.MOST + " listen already", "ask /v1/status");
  }

  private void stream(SseClient client) {
    try {
      permitted(client.ctx(), ApiKeys.Role.VIEW);
      String session =
          client.ctx().header(Header.AUTHORIZATION) == null && !keys.isOpen()
              ? client.ctx().cookie(Sessions.COOKIE)
              : null;
      if (!streams.add(client, session)) {
        throw full();
      }
      client.keepAlive();
      client.onClose(() -> streams.remove(client));
      streams.tell(client, status.all().toString());
    } catch (Problem e) {
      client.sendEvent("problem", e.getMessage() + "; " + e.remedy());
      client.close();
    } catch (IOException e) {
      client.close();
    }
  }

  private void tell() {
    try {
      if (streams.isEmpty()) {
        return;
      }
      String now = status.all().toString();
      if (!now.equals(told)) {
        told = now;
        streams.tell(now);
      }
    } catch (IOException | RuntimeException e) {
      LOG.atDebug().addKeyValue("reason", e.getMessage()).log("no event");
    }
  }

  @Override
  public void close() {
    events.shutdownNow();
    streams.close();
    server.stop();
  }
}
