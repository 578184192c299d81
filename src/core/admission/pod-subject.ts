// A pod under review as mutators see a workload: the same code decides in CI and here.
import type { Plain, StringMap } from '../manifest/index.ts';
import { type Subject, subjectOf } from '../mutate/index.ts';
import { asRecord, type JsonRecord, textField } from './record.ts';

/** The subject of a pod. Its namespace is the request's: the object's own may be missing or wrong. */
export function podSubject(namespace: string, pod: JsonRecord): Subject {
  const metadata = asRecord(pod['metadata']);
  const labels = texts(metadata['labels']);
  const annotations = texts(metadata['annotations']);
  const name = textField(metadata, 'name') ?? '';
  const workload = {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace,
    name: name === '' ? (textField(metadata, 'generateName') ?? '') : name,
    generated: name === '',
    labels,
    annotations,
    pod: { labels, annotations, hostNetwork: asRecord(pod['spec'])['hostNetwork'] === true },
    template: '',
    selector: undefined,
    replicas: undefined,
    strategy: undefined,
    workloadRef: undefined,
    exported: [],
    offset: 0,
    document: 1,
  };
  return subjectOf(workload, pod as Plain);
}

function texts(value: unknown): StringMap {
  return asRecord(value) as StringMap;
}
