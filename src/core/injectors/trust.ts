// Whether API servers can trust what a webhook serves: its caBundle against the certificates that its server shows, and against the Secret that
// holds Fairway's own authority. What could not be compared is said, not passed over.
import type { Problem } from '../std/errors.ts';

/** What came of one webhook's server. */
export type Trust =
  | { readonly kind: 'trusted'; readonly webhook: string }
  /** `by`: the address that shows another certificate, or the Secret. */
  | { readonly kind: 'refused'; readonly webhook: string; readonly by: string; readonly reason: string }
  | { readonly kind: 'unchecked'; readonly webhook: string; readonly reason: string };

export function trustFindings(trust: readonly Trust[]): readonly Problem[] {
  const unchecked = trust.filter((each) => each.kind === 'unchecked');
  return [
    ...trust.flatMap((each) => (each.kind === 'refused' ? [refused(each)] : [])),
    ...(unchecked.length === 0 ? [] : [notCompared(unchecked)]),
  ];
}

function refused({ webhook, by, reason }: Extract<Trust, { kind: 'refused' }>): Problem {
  return {
    code: 'ca-bundle',
    severity: 'error',
    path: webhook,
    message: `the caBundle does not trust ${by}: ${reason}`,
    hint: 'its server puts it there; look at its log',
  };
}

function notCompared(unchecked: readonly Extract<Trust, { kind: 'unchecked' }>[]): Problem {
  const shown = unchecked.map(({ webhook, reason }) => `${webhook} (${reason})`).join(', ');
  return {
    code: 'ca-bundle-unchecked',
    severity: 'warning',
    message: `the caBundle was not compared with the certificate that is served: ${shown}`,
    hint: 'run doctor where pods of the cluster can be reached',
  };
}
