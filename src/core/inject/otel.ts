// OTEL_RESOURCE_ATTRIBUTES of a pod, where a provider of the mesh asks for OpenTelemetry's semantic conventions.
import type { GoStruct, StringMap, Value } from '../gotemplate/index.ts';
import { isObject, type JsonObject, nameIn, textAt } from '../std/json.ts';

const prefix = 'resource.opentelemetry.io/';

/** Arguments: mesh config, annotations, labels, namespace, containers. Empty where no provider asks. */
export function otelResourceAttributes([mesh, annotations, labels, namespace, containers]: readonly Value[]): string {
  if (!asksForConventions(((mesh as GoStruct).data ?? {}) as JsonObject)) return '';
  const given = (annotations as StringMap).entries;
  const list = (containers as readonly GoStruct[]).map((container) => (container.data ?? {}) as JsonObject);
  const attributes = {
    namespace: given[`${prefix}service.namespace`] || (namespace as string),
    version:
      given[`${prefix}service.version`] ||
      (labels as StringMap).entries['app.kubernetes.io/version'] ||
      imageVersion(list),
    'instance.id': given[`${prefix}service.instance.id`] || instanceId(namespace as string, list),
  };
  const parts = Object.entries(attributes).filter(([, value]) => value !== '');
  return parts.map(([name, value]) => `service.${name}=${value}`).join(',');
}

function asksForConventions(mesh: JsonObject): boolean {
  const providers = mesh['extensionProviders'];
  return (
    Array.isArray(providers) &&
    providers.some((provider) => {
      const otel = isObject(provider) ? provider['opentelemetry'] : undefined;
      return isObject(otel) && otel['serviceAttributeEnrichment'] === 'OTEL_SEMANTIC_CONVENTIONS';
    })
  );
}

/** Tag and digest of the only container's image. */
function imageVersion(containers: readonly JsonObject[]): string {
  const image = containers.length === 1 ? (textAt(containers[0] ?? {}, 'image') ?? '') : '';
  const at = image.indexOf('@');
  const [name, digest] = at < 0 ? [image, ''] : [image.slice(0, at), image.slice(at + 1)];
  const colon = name.lastIndexOf(':');
  const tag = colon > name.lastIndexOf('/') ? name.slice(colon + 1) : '';
  return [tag, digest].filter((part) => part !== '').join('@');
}

function instanceId(namespace: string, containers: readonly JsonObject[]): string {
  const [first] = containers;
  return first === undefined ? '' : `${namespace}.$(POD_NAME).${nameIn(first)}`;
}
