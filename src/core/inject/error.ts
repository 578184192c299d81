// Why a pod cannot be injected: the message reaches whoever creates the pod, so it names the thing and the way out.

export class InjectError extends Error {
  readonly code = 'inject-refused';
  constructor(message: string) {
    super(message);
    this.name = 'InjectError';
  }
}
