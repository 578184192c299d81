// A pod under review as mutators see a workload: the same code decides in CI and here.
import type { Plain } from '../manifest/index.ts';
import { type Subject, subjectOf } from '../mutate/index.ts';
import { asRecord, type JsonRecord, textField } from './record.ts';

/** The subject of a pod. Its namespace is the request's: the object's own may be missing or wrong. */
export function podSubject(namespace: string, pod: JsonRecord): Subject {
  const metadata = asRecord(pod['metadata']);
  const name = textField(metadata, 'name') ?? '';
  const identity = {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace,
    name: name === '' ? (textField(metadata, 'generateName') ?? '') : name,
    generated: name === '',
    template: '',
    offset: 0,
    document: 1,
  };
  return subjectOf(identity, pod as Plain);
}
