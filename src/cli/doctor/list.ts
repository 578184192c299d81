// Lists of a cluster's objects, in pages.
import { TransientError } from '../../core/std/errors.ts';
import type { Cluster } from '../../ports/cluster.ts';

export const metadataOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

export interface Named {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly {
      readonly kind: string;
      readonly name?: string;
      readonly controller?: boolean;
    }[];
  };
}

/** All of them. @throws TransientError where they may not be listed */
export async function list(cluster: Cluster, path: string, accept?: string): Promise<readonly unknown[]> {
  const found = await listIfServed(cluster, path, accept);
  if (found !== undefined) return found;
  throw new TransientError(`GET ${path}: HTTP 404`, { hint: 'the cluster does not serve it' });
}

/** As `list`; undefined where the cluster does not serve such objects. */
export async function listIfServed(
  cluster: Cluster,
  path: string,
  accept?: string,
): Promise<readonly unknown[] | undefined> {
  const items: unknown[] = [];
  let more = '';
  do {
    const query = `${path.includes('?') ? '&' : '?'}limit=500${more === '' ? '' : `&continue=${encodeURIComponent(more)}`}`;
    const { status, body } = await cluster.send({
      method: 'GET',
      path: path + query,
      ...(accept === undefined ? {} : { accept }),
    });
    if (status === 404) return undefined;
    if (status !== 200)
      throw new TransientError(`GET ${path}: HTTP ${status}`, { hint: 'the account needs the right to list it' });
    const page = body as { items?: readonly unknown[]; metadata?: { continue?: string } };
    items.push(...(page.items ?? []));
    more = page.metadata?.continue ?? '';
  } while (more !== '');
  return items;
}
