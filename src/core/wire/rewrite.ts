// One field of a message replaced, the others kept as they are: a message is changed without knowing the rest of it.
import { encodeFields } from './encode.ts';
import { scan } from './scan.ts';

/**
 * The message with every field `number` of kind bytes changed; undefined from `change` leaves the field out. Undefined where the message is
 * malformed. Other fields keep their order and their bytes, but for varints written longer than needed.
 */
export function rewrite(
  message: Uint8Array,
  number: number,
  change: (value: Uint8Array) => Uint8Array | undefined,
): Uint8Array | undefined {
  const { fields, end } = scan(message);
  if (end !== 'whole') return undefined;
  return encodeFields(
    fields.flatMap((field) => {
      if (field.kind !== 'bytes' || field.number !== number) return [field];
      const bytes = change(field.bytes);
      return bytes === undefined ? [] : [{ ...field, bytes }];
    }),
  );
}
