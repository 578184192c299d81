// Text of others in a line of ours. A name in a manifest may hold what ends the line, and then says what it likes to whoever reads the log: a CI
// takes `::add-mask::` at the start of a line for a command, a terminal obeys escape sequences, a reviewer reads what bidirectional marks show.

/** The text with control characters, other line ends and bidirectional marks written as escapes (`\u000a`). */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
