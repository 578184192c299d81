// The wording of what the machine has to say: constant message plus fields, so that it can be searched and counted.
import type { IdentityNote } from './machine.ts';

interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

export function identityLine({ kind, ...fields }: IdentityNote): Line {
  return { ...wording[kind], fields };
}

const wording: Readonly<Record<IdentityNote['kind'], Omit<Line, 'fields'>>> = {
  issued: { level: 'info', message: 'workload certificate issued' },
  'root-changed': { level: 'info', message: "the CA's root has changed" },
  'anchors-changed': { level: 'info', message: 'trust anchors of the control plane have changed' },
  refused: { level: 'warn', message: 'no workload certificate from the CA' },
  expired: { level: 'error', message: 'workload certificate has expired' },
};
