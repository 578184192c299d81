// The door of mutate/.
export { declaredMutator } from './declared.ts';
export { labelValueOf } from './label-value.ts';
export type { NamespaceLabels } from './mesh.ts';
export { type Mutator, namesOf, type PatchOperation, type Remark, setMember, type Verdict } from './mutator.ts';
export { deployStamp, stampAnnotation } from './mutators/deploy-stamp.ts';
export { type RevisionAnswer, type RevisionOf, revisionLabel, revisionLabelKey } from './mutators/revision-label.ts';
export { guardAnnotation, type ShutdownGuardOptions, shutdownGuard } from './mutators/shutdown-guard.ts';
export { patchOf, runMutators } from './pipeline.ts';
export { type FunctionConfig, type FunctionResult, resourceListConfig, withResults } from './resource-list.ts';
export {
  type MutateOptions,
  type MutateResult,
  mutatedText,
  mutateStream,
  type Named,
  nameOf,
  type PlacedRemark,
} from './stream.ts';
export { type Subject, subjectOf, type Target } from './subject.ts';
