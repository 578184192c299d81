// OpenShift gives each namespace a range of user and group ids; the proxy takes the last of each, so that no application has it.
import type { JsonObject } from '../std/json.ts';

const uidRange = 'openshift.io/sa.scc.uid-range';
const groups = 'openshift.io/sa.scc.supplemental-groups';

/** The proxy's ids in a namespace; 1337 where its annotations give none. */
export function openshiftIds(annotations: Readonly<Record<string, string>>): {
  readonly uid: number;
  readonly gid: number;
} {
  const uid = lastOf(annotations[uidRange] ?? '');
  const [firstGroup = ''] = (annotations[groups] ?? annotations[uidRange] ?? '').split(',');
  return { uid: uid ?? 1337, gid: lastOf(firstGroup) ?? 1337 };
}

/** `start/size` or `start-end`. */
function lastOf(block: string): number | undefined {
  const [, start, sign, second] = /^(\d+)([/-])(\d+)/.exec(block) ?? [];
  if (start === undefined) return undefined;
  return sign === '/' ? Number(start) + Number(second) - 1 : Number(second);
}

/** The platform gives every container one user; a proxy that has the application's was not given its own by anybody. */
export function dropAssignedUser(pod: JsonObject): void {
  const spec = pod['spec'] as JsonObject | undefined;
  const containers = ['containers', 'initContainers'].flatMap((list) => (spec?.[list] ?? []) as JsonObject[]);
  const [proxyUser, appUser] = [
    userOf(containers, (name) => name === 'istio-proxy'),
    userOf(containers, isApplication),
  ];
  const proxy = containers.find((container) => container['name'] === 'istio-proxy');
  const context = proxy?.['securityContext'] as JsonObject | undefined;
  if (context === undefined || proxyUser !== appUser) return;
  delete context['runAsUser'];
  delete context['runAsGroup'];
}

function isApplication(name: unknown): boolean {
  return name !== 'istio-proxy' && name !== 'istio-init' && name !== 'istio-validation';
}

/** The user of the last container that names one; 0 for none. */
function userOf(containers: readonly JsonObject[], wanted: (name: unknown) => boolean): number {
  const users = containers
    .filter((container) => wanted(container['name']))
    .map((container) => {
      return (container['securityContext'] as JsonObject | undefined)?.['runAsUser'];
    });
  return Number(users.findLast((user) => user !== undefined) ?? 0);
}
