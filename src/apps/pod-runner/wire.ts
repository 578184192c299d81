// Manifests on their way through the socket: JSON has no bytes, so binary values of config maps and secrets go as base64.
import type { KeyedFiles } from '../../core/container/index.ts';
import type { Manifests } from './manifests.ts';

export interface WireManifests extends Omit<Manifests, 'objects'> {
  readonly objects: readonly (Omit<KeyedFiles, 'data'> & {
    readonly text: Readonly<Record<string, string>>;
    readonly base64: Readonly<Record<string, string>>;
  })[];
}

export function encodeManifests(manifests: Manifests): WireManifests {
  return {
    ...manifests,
    objects: manifests.objects.map(({ data, ...named }) => {
      const entries = Object.entries(data);
      const text = entries.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []));
      const bytes = entries.flatMap(([key, value]) =>
        typeof value === 'string' ? [] : [[key, Buffer.from(value).toString('base64')]],
      );
      return { ...named, text: Object.fromEntries(text), base64: Object.fromEntries(bytes) };
    }),
  };
}

export function decodeManifests(wire: WireManifests): Manifests {
  return {
    ...wire,
    objects: wire.objects.map(({ text, base64, ...named }) => {
      const bytes = Object.entries(base64).map(([key, value]) => [key, new Uint8Array(Buffer.from(value, 'base64'))]);
      return { ...named, data: { ...text, ...Object.fromEntries(bytes) } };
    }),
  };
}
