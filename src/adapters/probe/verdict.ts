// What one attempt of a probe is about and what it says.
import type { ProbeAnswer } from '../../core/pod/index.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Verdict {
  readonly result: ProbeAnswer;
  readonly message: string;
}
