// Finds the shared material (cases, vectors, reference implementations): FAIRWAY_SHARED, else `../shared` beside the checkout.
// A suite that needs it fails loudly without it: a test that is silently left out proves nothing.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** The path of something in the shared material. */
export function sharedPath(path: string): string {
  const found = join(process.env['FAIRWAY_SHARED'] ?? join(checkout, '..', 'shared'), path);
  if (!existsSync(found))
    throw new Error(`${found} is missing: set FAIRWAY_SHARED to the folder of the shared material`);
  return found;
}

export function readSharedJson(path: string): unknown {
  return JSON.parse(readFileSync(sharedPath(path), 'utf8'));
}
