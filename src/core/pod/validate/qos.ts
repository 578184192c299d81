// The QoS class of a spec, as the API server computes it, of untyped fields.
import { parseQuantity } from '../../std/quantity.ts';
import { type Fields, isFields, items, object, own } from './field.ts';

type Qos = 'Guaranteed' | 'Burstable' | 'BestEffort';
const counted = ['cpu', 'memory'];

/** Guaranteed: each container has limits of cpu and memory, and requests equal to them; BestEffort: nobody has any. */
export function qosOf(spec: Fields): Qos {
  const whole = object(spec, 'resources');
  const all =
    whole === undefined
      ? [...items(spec, 'initContainers', ''), ...items(spec, 'containers', '')].map(
          ([, item]) => object(item, 'resources') ?? {},
        )
      : [whole];
  const amounts = all.map((resources) => ({
    requests: amountsOf(resources, 'requests'),
    limits: amountsOf(resources, 'limits'),
  }));
  if (amounts.every(({ requests, limits }) => requests.size === 0 && limits.size === 0)) return 'BestEffort';
  const guaranteed = amounts.every(({ requests, limits }) =>
    counted.every((name) => limits.has(name) && (requests.get(name) ?? limits.get(name)) === limits.get(name)),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

/** The amounts above zero of cpu and memory. */
function amountsOf(resources: Fields, kind: 'requests' | 'limits'): ReadonlyMap<string, bigint> {
  const amounts = own(resources, kind);
  return new Map(
    counted.flatMap((name) => {
      const amount = parseQuantity(quantityText(isFields(amounts) ? own(amounts, name) : undefined));
      return amount === undefined || amount <= 0n ? [] : [[name, amount] as const];
    }),
  );
}

function quantityText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
