// What the complete path changed, read again by another parser (the package yaml, which is large and seldom needed).
import { parseDocument } from 'yaml';
import { type Bytes, confirmChange } from '../../core/manifest/index.ts';
import { type Mutator, namesOf } from '../../core/mutate/index.ts';
import type { Problem } from '../../core/std/errors.ts';

interface Changed {
  readonly document: number;
  readonly before: Bytes;
  readonly after: Bytes;
}

/** A problem for each document in which the other parser sees another difference than the mutators' members. */
export function secondOpinion(changes: readonly Changed[], mutators: readonly Mutator[]): readonly Problem[] {
  const keys = new Set(mutators.flatMap(namesOf));
  return changes
    .filter(({ before, after }) => !confirmChange(read(before), read(after), keys))
    .map(({ document }) => ({
      code: 'edit-unproven',
      severity: 'error',
      document,
      message: 'another YAML parser reads the changed document otherwise',
      hint: 'write the pod template without anchors, tags and merge keys',
    }));
}

function read(bytes: Bytes): unknown {
  const text = Buffer.from(bytes, 'latin1').toString('utf8');
  const document = parseDocument(text, { merge: true, uniqueKeys: false, intAsBigInt: true, logLevel: 'silent' });
  return document.toJS({ maxAliasCount: -1 });
}
