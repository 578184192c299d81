// The wording of what the machine has to say: constant message plus fields, so that it can be searched and counted.
import type { IdentityNote } from './machine.ts';

interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

export function identityLine(note: IdentityNote): Line {
  switch (note.kind) {
    case 'issued':
      return { level: 'info', message: 'workload certificate issued', fields: without(note) };
    case 'root-changed':
      return { level: 'info', message: "the CA's root has changed", fields: without(note) };
    case 'anchors-changed':
      return { level: 'info', message: 'trust anchors of the control plane have changed', fields: without(note) };
    case 'refused':
      return { level: 'warn', message: 'no workload certificate from the CA', fields: without(note) };
    case 'expired':
      return { level: 'error', message: 'workload certificate has expired', fields: {} };
  }
}

function without<T extends { readonly kind: string }>({ kind: _, ...fields }: T): Omit<T, 'kind'> {
  return fields;
}
