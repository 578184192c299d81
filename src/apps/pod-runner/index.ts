// The door of the pod runner: the host of live pods, its socket, and the client of the socket.
export { runClient } from './client.ts';
export { PodHost } from './host.ts';
export type { Manifests } from './manifests.ts';
export { objectStore } from './objects.ts';
export type { Observer } from './observer.ts';
export { serve } from './server.ts';
