// restartPolicy of a container and the rules that overrule it by exit code (KEP-5307, KEP-5532).

import type { Problem } from '../../std/errors.ts';
import type { Gates } from '../policy.ts';
import {
  type Fields,
  forbidden,
  has,
  invalid,
  items,
  type Kind,
  list,
  object,
  own,
  required,
  shapeProblems,
  tooMany,
  unsupported,
} from './field.ts';

export const restartPolicies: readonly string[] = ['Always', 'Never', 'OnFailure'];
const operators: readonly string[] = ['In', 'NotIn'];
const mostRules = 20;
const mostValues = 255;
const largestInt32 = 2 ** 31 - 1;
const ruleShape: Readonly<Record<string, Kind>> = { action: 'text', exitCodes: 'object' };
const codesShape: Readonly<Record<string, Kind>> = { operator: 'text', values: 'list' };

/** Problems of restartPolicy and restartPolicyRules of a main or an init container. */
export function restartProblems(
  path: string,
  container: Fields,
  role: 'main' | 'init',
  gates: Gates,
): readonly Problem[] {
  if (!gates.ContainerRestartRules) return withoutRules(path, container, role);
  const sidecar = role === 'init' && own(container, 'restartPolicy') === 'Always';
  return [
    ...policyProblems(path, container, restartPolicies),
    ...(sidecar && !gates.RestartAllContainersOnContainerExits ? forbiddenRules(path, container) : []),
    ...ruleListProblems(path, container, actions(gates)),
  ];
}

/** Ephemeral containers never restart and may not say that they would. */
export function forbiddenRestart(path: string, container: Fields): readonly Problem[] {
  return ['restartPolicy', 'restartPolicyRules']
    .filter((name) => (name === 'restartPolicy' ? has(container, name) : list(container, name).length > 0))
    .map((name) => forbidden(`${path}.${name}`, 'may not be set for ephemeral containers'));
}

/** Before the rules existed, a main had no policy of its own and an init container only Always. */
function withoutRules(path: string, container: Fields, role: 'main' | 'init'): readonly Problem[] {
  if (role === 'init') return policyProblems(path, container, ['Always']);
  return ['restartPolicy', 'restartPolicyRules']
    .filter((name) => has(container, name))
    .map((name) => forbidden(`${path}.${name}`, 'may not be set for non-init containers'));
}

function policyProblems(path: string, container: Fields, supported: readonly string[]): readonly Problem[] {
  const policy = own(container, 'restartPolicy') ?? undefined;
  const at = `${path}.restartPolicy`;
  if (policy === undefined)
    return list(container, 'restartPolicyRules').length === 0
      ? []
      : [required(at, 'must specify restartPolicy when restart rules are used')];
  return supported.includes(policy as string) ? [] : [unsupported(at, policy, supported)];
}

function forbiddenRules(path: string, container: Fields): readonly Problem[] {
  return list(container, 'restartPolicyRules').length === 0
    ? []
    : [forbidden(`${path}.restartPolicyRules`, 'restartPolicyRules are not allowed when restartPolicy is Always')];
}

function actions(gates: Gates): readonly string[] {
  return gates.RestartAllContainersOnContainerExits ? ['Restart', 'RestartAllContainers'] : ['Restart'];
}

function ruleListProblems(path: string, container: Fields, supported: readonly string[]): readonly Problem[] {
  const count = list(container, 'restartPolicyRules').length;
  return [
    ...(count > mostRules ? [tooMany(`${path}.restartPolicyRules`, count, mostRules)] : []),
    ...items(container, 'restartPolicyRules', path).flatMap(([at, rule]) => ruleProblems(at, rule, supported)),
  ];
}

function ruleProblems(path: string, rule: Fields, supported: readonly string[]): readonly Problem[] {
  const action = own(rule, 'action') ?? '';
  const codes = object(rule, 'exitCodes');
  return [
    ...shapeProblems(path, rule, ruleShape),
    ...(supported.includes(action as string) ? [] : [unsupported(`${path}.action`, action, supported)]),
    ...(codes === undefined
      ? [required(`${path}.exitCodes`, 'must be specified')]
      : codeProblems(`${path}.exitCodes`, codes)),
  ];
}

function codeProblems(path: string, codes: Fields): readonly Problem[] {
  const operator = own(codes, 'operator') ?? '';
  const values = list(codes, 'values');
  return [
    ...shapeProblems(path, codes, codesShape),
    ...(operators.includes(operator as string) ? [] : [unsupported(`${path}.operator`, operator, operators)]),
    ...(values.length > mostValues ? [tooMany(`${path}.values`, values.length, mostValues)] : []),
    ...values.flatMap((value, index) =>
      isInt32(value) ? [] : [invalid(`${path}.values[${index}]`, value, 'must be a 32-bit integer')],
    ),
  ];
}

function isInt32(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value <= largestInt32 && value >= -largestInt32 - 1;
}
