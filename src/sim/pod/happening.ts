// What is seen of a simulated life, in order: writes of the API object, Kubernetes Events, and what the node did.
import type { Effect, ProbeKind } from '../../core/pod/index.ts';

export type Happening = { readonly atMs: number } & (
  | Extract<Effect, { kind: 'pod' }>
  | Extract<Effect, { kind: 'event' }>
  | NodeHappening
  /** An event of the scenario, in its own words. */
  | { readonly kind: 'given'; readonly what: string; readonly why: string }
);

export type NodeHappening =
  | { readonly kind: 'sandbox'; readonly what: 'created' | 'stopped' | 'lost'; readonly sandbox: string }
  | {
      readonly kind: 'pull';
      readonly container: string;
      readonly image: string;
      readonly outcome: 'present' | 'pulled' | 'failed';
    }
  | { readonly kind: 'run'; readonly what: 'started'; readonly container: string; readonly run: number }
  | {
      readonly kind: 'run';
      readonly what: 'ended';
      readonly container: string;
      readonly exitCode: number;
      readonly reason: string | undefined;
    }
  | { readonly kind: 'signal'; readonly container: string; readonly signal: string }
  | {
      readonly kind: 'hook';
      readonly container: string;
      readonly hook: 'postStart' | 'preStop';
      readonly what: 'began' | 'ended' | 'failed' | 'cut';
    }
  | { readonly kind: 'probe'; readonly container: string; readonly probe: ProbeKind; readonly answer: string };

export type Observe = (happening: Happening) => void;
