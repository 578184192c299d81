// The shape of rollouts.yml as JSON Schema, for editors. Only `scripts/schemas.ts` uses it: the reader (rollouts.ts) knows more
// than a schema can say (sums, patterns, leading zeros), and a test holds that the schema refuses nothing that it accepts.
import * as z from 'zod';
import { dnsLabel } from '../std/object-name.ts';

const percent = z
  .number()
  .min(0)
  .max(100)
  .describe('Percent of the bucket, with at most two decimals; all of a bucket add up to 100.');
const revision = z.string().regex(dnsLabel);

const rolloutsSchema = z
  .record(
    z.string().min(1).describe('A pattern (RE2, matched against the whole namespace), or `production`: the default.'),
    z.record(revision, percent).describe('Revision → percent. 0 keeps a revision listed and gives it nothing.'),
  )
  .meta({
    title: 'rollouts.yml',
    description: 'Which namespaces are on which revision. See docs/reference/rollouts.md.',
  });

export function rolloutsJsonSchema(): object {
  return { $id: 'rollouts.json', ...z.toJSONSchema(rolloutsSchema, { io: 'input', reused: 'inline' }) };
}
