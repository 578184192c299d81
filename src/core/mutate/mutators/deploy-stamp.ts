// The deploy stamp: when a workload was last deployed, in its own metadata. Never in the pod template, where each run of CI would be a
// roll-out. Admission reads it to know whether a workload is old enough to be moved (docs/reference/admission.md).
import { type NamespaceLabels, outsideMesh } from '../mesh.ts';
import { applies, type Mutator, setMember, skips } from '../mutator.ts';

/** The annotation, RFC 3339 in UTC. */
export const stampAnnotation = 'fairway.dev/stamped-at';

export interface DeployStampOptions {
  /** The time of the change that is deployed, in milliseconds of the Unix epoch: not of this run, or each run would make all workloads young. */
  readonly atMs: number;
  readonly labelsOf?: NamespaceLabels;
}

/** The mutator for one time. */
export function deployStamp({ atMs, labelsOf = () => undefined }: DeployStampOptions): Mutator {
  const stamp = new Date(atMs).toISOString().replace('.000Z', 'Z');
  return {
    name: 'deploy-stamp',
    target: 'workload',
    scope: ['/metadata/annotations/fairway.dev~1stamped-at'],
    applies: (subject) => {
      const outside = outsideMesh(subject, labelsOf);
      if (outside !== undefined) return outside;
      return subject.template === ''
        ? skips('bare-pod', 'a bare pod is deployed when it is created: no stamp')
        : applies;
    },
    mutate: (subject) => setMember(subject, 'workload', ['metadata', 'annotations', stampAnnotation], stamp),
  };
}
