// What a cloud tells of the machine that a proxy runs on: which cloud it is, and its answers made into metadata and a place. Owns names and shapes, as
// Istio's pkg/bootstrap/platform has them; asks nobody.
import { type JsonObject, objectAt, objectsAt, parseObject, textAt } from '../std/json.ts';
import type { Locality } from './locality.ts';
import { noPlatform, type Platform } from './node.ts';

export type Cloud = 'aws' | 'azure' | 'gcp';

export interface CloudSigns {
  /** CLOUD_PLATFORM; `none` is no cloud, what is unknown counts as not told. */
  readonly told: string;
  /** GCP_METADATA or GCE_METADATA_HOST is set. */
  readonly hasGcpSettings: boolean;
  /** The machine's maker, as its firmware tells; undefined where nobody can know. */
  readonly maker: string | undefined;
  /** Of the hypervisor: the older machines of AWS have no other sign. */
  readonly hypervisor: string | undefined;
}

/** Undefined: no cloud, or none that shows itself. Nobody is asked over the network for it. */
export function cloudOf({ told, hasGcpSettings, maker = '', hypervisor = '' }: CloudSigns): Cloud | undefined {
  const name = told.toLowerCase();
  if (name === 'none') return undefined;
  if (name === 'aws' || name === 'azure' || name === 'gcp') return name;
  if (hasGcpSettings || maker.includes('Google')) return 'gcp';
  if (maker.includes('Amazon EC2') || hypervisor.startsWith('ec2')) return 'aws';
  return maker.includes('Microsoft Corporation') ? 'azure' : undefined;
}

/** What is undefined was not answered. */
type Answered<Key extends string> = Readonly<Record<Key, string | undefined>>;

export function awsPlatform({ region, zone, instance }: Answered<'region' | 'zone' | 'instance'>): Platform {
  const metadata = { aws_availability_zone: zone, aws_region: region, aws_instance_id: instance };
  return platform(metadata, { region, zone });
}

/** `instance` is the answer of /metadata/instance. */
export function azurePlatform(instance: string | undefined): Platform {
  const compute = objectAt(parseObject(instance ?? '') ?? {}, 'compute');
  const [region, zone] = [textAt(compute, 'location'), textAt(compute, 'zone')];
  const own = { azure_name: textAt(compute, 'name'), azure_location: region, azure_vmId: textAt(compute, 'vmId') };
  return platform({ ...own, ...azureTags(compute) }, { region, zone });
}

/** The newest version of the answers' form that this machine's server has, at least the one that Istio begins with. */
export function azureVersion(versions: string | undefined): string {
  const newest = parseObject(versions ?? '')?.['newest-versions'];
  const all = Array.isArray(newest) ? newest.filter((each) => typeof each === 'string') : [];
  return all.reduce((best, each) => (each > best ? each : best), '2019-08-15');
}

/** As a list where there is one; older servers have one text only. */
function azureTags(compute: JsonObject): Readonly<Record<string, string>> {
  const pairs = Array.isArray(compute['tagsList'])
    ? objectsAt(compute, 'tagsList').map((tag) => [textAt(tag, 'name') ?? '', textAt(tag, 'value') ?? ''] as const)
    : (textAt(compute, 'tags') ?? '')
        .split(';')
        .filter((tag) => tag !== '')
        .map((tag) => [tag.split(':')[0] ?? '', tag.split(':').slice(1).join(':')] as const);
  return Object.fromEntries(pairs.map(([name, value]) => [`azure_${name}`, value]));
}

/** Where each fact of a machine of Google is, below /computeMetadata/v1. */
export const gcpPaths = {
  gcp_project: 'project/project-id',
  gcp_project_number: 'project/numeric-project-id',
  gcp_location: 'instance/attributes/cluster-location',
  gcp_gke_cluster_name: 'instance/attributes/cluster-name',
  gcp_gce_instance: 'instance/name',
  gcp_gce_instance_id: 'instance/id',
  gcp_gce_instance_template: 'instance/attributes/instance-template',
  gcp_gce_instance_created_by: 'instance/attributes/created-by',
  zone: 'instance/zone',
} as const;

type GcpAnswers = Partial<Answered<keyof typeof gcpPaths>>;

/** `zone`: where the pod is known to be without asking. */
export function gcpPlatform({ zone: path, ...answers }: GcpAnswers, known: string | undefined): Platform {
  const asked = path?.split('/').at(-1);
  const metadata = { ...answers, gcp_location: answers.gcp_location ?? asked };
  return platform({ ...metadata, gcp_gke_cluster_url: clusterUrl(metadata) }, gcpLocality(known ?? asked));
}

/** What GCP_METADATA tells (`PROJECT|NUMBER|CLUSTER|PLACE`) spares every question; undefined: it tells nothing. */
export function gcpFromSettings(
  env: Readonly<Record<string, string | undefined>>,
  zoneInFile: string | undefined,
): Platform | undefined {
  const given = env['GCP_METADATA'] ?? '';
  if (given === '') return undefined;
  const parts = given.split('|');
  const [project, number, cluster, location] = parts.length === 4 ? parts : [];
  const own = {
    gcp_project: project,
    gcp_project_number: number,
    gcp_gke_cluster_name: cluster,
    gcp_location: location,
  };
  const zone = empty(env['GCP_ZONE']);
  const more = { gcp_quota_project: empty(env['GCP_QUOTA_PROJECT']), gcp_zone: zone };
  const told = platform({ ...own, ...more, gcp_gke_cluster_url: clusterUrl(own) }, gcpLocality(zone ?? zoneInFile));
  return Object.keys(told.metadata).length === 0 ? undefined : told;
}

/** The zone in the search list of a pod of GKE. */
export function gcpZoneIn(resolvConf: string): string | undefined {
  return /^search.* ([^-\n]+-[^-\n]+-[^-\n]+)\.c\.[^.\n]+\.internal/m.exec(resolvConf)?.[1];
}

function clusterUrl({
  gcp_project: project,
  gcp_location: place,
  gcp_gke_cluster_name: cluster,
}: GcpAnswers): string | undefined {
  if (project === undefined || place === undefined || cluster === undefined) return undefined;
  return `https://container.googleapis.com/v1/projects/${project}/locations/${place}/clusters/${cluster}`;
}

/** `us-east1-b` is a zone of `us-east1`. */
function gcpLocality(zone: string | undefined): Answered<'region' | 'zone'> {
  const region = /^([^-]+-[^-]+)-[^-]+$/.exec(zone ?? '')?.[1];
  return region === undefined ? { region: undefined, zone: undefined } : { region, zone };
}

function platform(
  metadata: Readonly<Record<string, string | undefined>>,
  place: Answered<'region' | 'zone'>,
): Platform {
  const told = Object.entries(metadata).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { ...noPlatform, metadata: Object.fromEntries(told), locality: locality(place) };
}

function locality({ region = '', zone = '' }: Answered<'region' | 'zone'>): Locality {
  return { ...(region === '' ? {} : { region }), ...(zone === '' ? {} : { zone }) };
}

function empty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
