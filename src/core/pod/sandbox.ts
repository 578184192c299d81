// Does the pod need a (new) sandbox? And what does that say about the condition PodReadyToStartContainers (kubelet: kuberuntime/util/util.go, status/generate.go)?
import type { Sandbox } from './state.ts';

export type SandboxVerdict =
  | { readonly needed: false; readonly sandbox: Sandbox }
  | { readonly needed: true; readonly attempt: number; readonly because: string };

/** `sandboxes` newest first. */
export function sandboxVerdict(sandboxes: readonly Sandbox[], hostNetwork: boolean): SandboxVerdict {
  const [newest] = sandboxes;
  if (newest === undefined) return { needed: true, attempt: 0, because: 'no pod sandbox exists' };
  const anew = (because: string): SandboxVerdict => ({ needed: true, attempt: newest.attempt + 1, because });
  if (sandboxes.filter(({ ready }) => ready).length > 1) {
    return anew('multiple pod sandboxes are ready and need to be reconciled');
  }
  if (!newest.ready) return anew('pod sandbox is not ready');
  if (newest.hostNetwork !== hostNetwork) {
    return anew('network namespace mode changed and sandbox needs to be recreated');
  }
  if (!hostNetwork && newest.ip === undefined) return anew('pod sandbox has no IP address');
  return { needed: false, sandbox: newest };
}
