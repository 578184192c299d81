// Label values that are derived from names, which may be longer and end otherwise than a label value may
// (apimachinery's validation: at most 63 characters, alphanumeric at both ends).

const longest = 63;

/** The name cut to 63 characters, without what may not end a label value; '' means that the label is left out. */
export function labelValueOf(name: string): string {
  return name.slice(0, longest).replace(/[^A-Za-z0-9]+$/, '');
}
