// What the server writes its log to: a constant message with fields. pino fits it; so does a test's list.

type Line = (fields: object, message: string) => void;

export interface Log {
  readonly debug: Line;
  readonly info: Line;
  readonly warn: Line;
  readonly error: Line;
}
