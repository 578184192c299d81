// Which images the proxy and its init container have: hub/name:tag, with the variant as the tag's suffix.
import { sprintOne } from '../gotemplate/index.ts';
import { type JsonObject, textAt } from '../std/json.ts';
import { valueAt } from './config.ts';

/** The proxy's image; the type is the annotation's, else ProxyConfig's, else that of the values. */
export function proxyImage(values: JsonObject, proxyConfig: JsonObject, annotations: JsonObject): string {
  const name = textIn(values, 'proxy', 'image') ?? 'proxyv2';
  const image = proxyConfig['image'];
  const type =
    typeof image === 'object' && image !== null && !Array.isArray(image) ? textAt(image, 'imageType') : undefined;
  return imageOf(values, name, type ?? '', annotations);
}

/** The init container's image. */
export function proxyInitImage(values: JsonObject, annotations: JsonObject): string {
  return imageOf(values, textIn(values, 'proxy_init', 'image') ?? 'proxyv2', '', annotations);
}

function textIn(values: JsonObject, ...path: readonly string[]): string | undefined {
  const value = valueAt(values, 'global', ...path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function imageOf(values: JsonObject, name: string, configured: string, annotations: JsonObject): string {
  const tag = valueAt(values, 'global', 'tag');
  const tagText = tag === undefined || tag === null ? '' : sprintOne(tag);
  const type =
    textAt(annotations, 'sidecar.istio.io/proxyImageType') ?? (configured || (textIn(values, 'variant') ?? ''));
  return `${textIn(values, 'hub') ?? ''}/${name}:${withType(tagText, type)}`;
}

function withType(tag: string, type: string): string {
  if (type === '') return tag;
  const bare = tag.replace(/-(?:distroless|debug)$/, '');
  return type === 'default' ? bare : `${bare}-${type}`;
}
