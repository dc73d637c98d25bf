package dev.beltway.proxy.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.beltway.resp.command.Command;
import dev.beltway.resp.command.CommandTable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class UserTest {

  private static Command command(String name) {
    return CommandTable.redis().find(name).orElseThrow();
  }

  @Test
  void theLastRuleThatFitsCounts() {
    CommandRules rules =
        new CommandRules(List.of("+@read", "-mget", "+@string", "-GETDEL", "+config|get"));
    assertThat(rules.allow(command("get"))).isTrue();
    assertThat(rules.allow(command("mget"))).isTrue();
    assertThat(rules.allow(command("hgetall"))).isTrue();
    assertThat(rules.allow(command("hset"))).isFalse();
    assertThat(rules.allow(command("getdel"))).isFalse();
    assertThat(rules.allow(command("config get"))).isTrue();
    assertThat(rules.allow(command("config set"))).isFalse();
    assertThat(new CommandRules(List.of("+client")).allow(command("client list"))).isTrue();
    assertThat(new CommandRules(List.of()).allow(command("get"))).isFalse();
    assertThat(CommandRules.ALL.allowAll()).isTrue();
  }

  @Test
  void rulesThatAreNoneAreRefused() {
    for (String bad : List.of("get", "+@nosuch", "-nosuch", "", "+", "+get set")) {
      assertThatThrownBy(() -> new CommandRules(List.of(bad)))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void passwordsAreKeptAsHashes() {
    String hash = User.sha256("secret");
    assertThat(hash).isEqualTo("2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b");
    User user = new User("u", List.of(hash), false, CommandRules.ALL, List.of("app:"), List.of(""));
    assertThat(user.knows("secret")).isTrue();
    assertThat(user.knows("Secret")).isFalse();
    assertThat(user.mayTouch("app:1".getBytes(StandardCharsets.UTF_8))).isTrue();
    assertThat(user.mayTouch("ap".getBytes(StandardCharsets.UTF_8))).isFalse();
    assertThat(user.isUnlimited()).isFalse();
    assertThatThrownBy(
            () -> new User("u", List.of("secret"), false, CommandRules.ALL, List.of(), List.of()))
        .hasMessageContaining("64 hexadecimal digits")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(
            () -> new User("u", List.of(), false, CommandRules.ALL, List.of(), List.of()))
        .hasMessageContaining("needs either passwords");
    assertThatThrownBy(() -> new Users(List.of(user, user))).hasMessage("user u stands twice");
  }
}
