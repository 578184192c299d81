// A pod under review as mutators see a workload: the same code decides in CI and here.
import { type Subject, subjectOf } from '../mutate/index.ts';
import { asObject, type JsonObject, textAt } from '../std/json.ts';

/** The subject of a pod. Its namespace is the request's: the object's own may be missing or wrong. */
export function podSubject(namespace: string, pod: JsonObject): Subject {
  const metadata = asObject(pod['metadata']);
  const name = textAt(metadata, 'name') ?? '';
  const identity = {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace,
    name: name === '' ? (textAt(metadata, 'generateName') ?? '') : name,
    generated: name === '',
    template: '',
    offset: 0,
    document: 1,
  };
  return subjectOf(identity, pod);
}
