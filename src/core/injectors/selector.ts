// Label selectors as API servers evaluate them (apimachinery, LabelSelectorAsSelector).

export type Labels = Readonly<Record<string, string>>;

export interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly Expression[];
}

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Whether a selector selects these labels. One that is absent or empty selects everything. */
export function selects(selector: Selector | undefined, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value) &&
    matchExpressions.every((expression) => holds(expression, labels))
  );
}

/** Every key that a selector looks at. */
export function keysOf(selector: Selector | undefined): readonly string[] {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
}

function holds({ key, operator, values = [] }: Expression, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
