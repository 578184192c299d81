// Where the injected containers stand among the user's (istio/istio pkg/kube/inject/webhook.go): a native proxy before every init container of the user, so
// that they are in the mesh; a classic proxy last, or first where it holds the application.

import type { JsonObject } from '../std/json.ts';
import { coreDumpName, findContainer, initName, moveTo, proxyName, validationName } from './container.ts';

/** Orders the pod's containers. */
export function orderContainers(pod: JsonObject, holds: boolean): void {
  moveTo(pod, 'containers', proxyName, holds ? 'first' : 'last');
  if (findContainer(pod, 'initContainers', proxyName) !== undefined) {
    for (const name of [coreDumpName, proxyName, validationName, initName])
      moveTo(pod, 'initContainers', name, 'first');
    return;
  }
  // The check of the interception comes before anything can use it; rules come last, so that init containers still reach the network.
  moveTo(pod, 'initContainers', validationName, 'first');
  moveTo(pod, 'initContainers', initName, 'last');
  moveTo(pod, 'initContainers', coreDumpName, 'last');
}
