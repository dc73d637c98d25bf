package dev.beltway.simulation;

/**
 * A safeguard of the protocol that is taken out, to show that the simulation would notice: each is
 * made in the parts that are modelled, never in the code that is shipped.
 */
enum Flaw {
  /** Keys move before everybody has acknowledged (rule 4). */
  NO_BARRIER,
  /** A proxy acknowledges although lost connections are not known to be gone (rule 4a). */
  ACK_WITHOUT_KILL,
  /** A command that has passed the check, and is not sent yet, isn't waited for (rule 4a). */
  CHECKED_IS_NOT_SENT,
  /** An acknowledgement of an earlier barrier counts (rule 4). */
  ACK_WITHOUT_VERSION,
  /** A proxy reads the state before it registers (rule 3). */
  LOAD_BEFORE_REGISTER,
  /** A proxy starts again under its earlier registration (rule 3). */
  SAME_REGISTRATION,
  /** A silent proxy is struck off without its login being deleted (rule 4). */
  TIMEOUT_INSTEAD_OF_FENCE,
  /** State is written whatever is stored (rule 1). */
  NO_COMPARE_AND_SET,
  /** Nodes obey deposed leaders (rule 1). */
  NO_TERM,
  /** Transfers need no token (rule 5). */
  NO_TOKEN,
  /** A failed transfer doesn't break the token (rule 5). */
  NO_BREAK,
  /** "No such key" is answered before the token is compared (rule 5). */
  ABSENT_BEFORE_TOKEN,
  /** The token says nothing of the process it is for (rules 5 and 11). */
  TOKEN_WITHOUT_RUN,
  /** Left-overs of failed transfers stay (rule 5). */
  NO_CLEARING,
  /** Tokens are not closed before a change (rule 6). */
  NO_CLOSING,
  /** Users of old transfers are deleted before tokens are closed (rule 6). */
  DROP_BEFORE_CLOSE,
  /** Which keys have moved is remembered for ever (rule 6). */
  MEMORY_KEPT,
  /** Only the first key of a command leaves its source first (rule 6). */
  FIRST_KEY_ONLY,
  /** One pass over the source is enough, whatever it saw (rule 7). */
  ONE_PASS,
  /** A pass before a restart of the source counts (rule 7). */
  PASS_OF_ANY_RUN,
  /** Targets are not searched for strays (rule 6). */
  NO_SEARCH,
  /** An abort that is taken back ends at once, with keys on both sides (rule 9). */
  REVERSING_TO_STEADY,
  /** A restarted source keeps what had moved away (rule 11). */
  RESTART_KEEPS_ALL,
  /** A big key's time may run out while it is copied (rule 10). */
  NO_SEAL,
  /** A mover's steps are done for any leader (rule 10). */
  NO_TERM_OF_MOVER,
  /** A big key leaves its source before its copy has taken its place (rule 10). */
  UNLINK_BEFORE_RENAME,
  /** A big key that is being copied may leave in a transfer (rule 10). */
  SEALED_KEY_LEAVES
}
