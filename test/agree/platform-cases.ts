// Metadata servers of three clouds, in the shapes that they have: by path, what they answer.

export interface Cloudy {
  readonly what: string;
  readonly env: Readonly<Record<string, string>>;
  /** By path, or by method and path. */
  readonly answers: Readonly<Record<string, string>>;
}

/** Refused with 400, as the real one does. */
export const azureAnswers = { versions: '/metadata/instance?' } as const;

const aws = {
  'PUT /latest/api/token': 'AQAEAP',
  '/latest/meta-data/placement/region': 'eu-west-1',
  '/latest/meta-data/placement/availability-zone': 'eu-west-1b',
  '/latest/meta-data/instance-id': 'i-0f1e2d',
};
const { 'PUT /latest/api/token': _, ...older } = aws;
const compute = {
  azEnvironment: 'AzurePublicCloud',
  location: 'westeurope',
  name: 'vm-1',
  vmId: '02aab8a4-74ef-476e-8182-f6d2ba4166a6',
  zone: '2',
  tags: 'team:shop;cost center:1:2;bare',
};
const tagsList = [
  { name: 'team', value: 'shop' },
  { name: 'note', value: 'a;b:c' },
];
const azure = (more: object): Cloudy['answers'] => ({
  [azureAnswers.versions]: JSON.stringify({ error: 'Bad request', 'newest-versions': ['2021-12-13', '2021-11-15'] }),
  '/metadata/instance?api-version=2021-12-13': JSON.stringify({ compute: { ...compute, ...more }, network: {} }),
});
const google = (more: Readonly<Record<string, string>>): Cloudy['answers'] =>
  Object.fromEntries(
    Object.entries({
      'project/project-id': 'shop-project',
      'project/numeric-project-id': '123456789012',
      'instance/name': 'gke-pool-1',
      'instance/id': '7201',
      'instance/zone': 'projects/123456789012/zones/us-east1-b',
      'instance/attributes/cluster-name': 'shop',
      ...more,
    }).map(([path, text]) => [`/computeMetadata/v1/${path}`, text]),
  );
/** Google's library looks a name up where no host is named, and nobody answers that here. */
const gcp = { CLOUD_PLATFORM: 'gcp', KUBERNETES_SERVICE_HOST: '10.0.0.1', GCE_METADATA_HOST: '169.254.169.254' };

export const clouds: readonly Cloudy[] = [
  { what: 'AWS', env: { CLOUD_PLATFORM: 'aws' }, answers: aws },
  { what: 'AWS without tokens', env: { CLOUD_PLATFORM: 'AWS' }, answers: older },
  { what: 'AWS, nothing known', env: { CLOUD_PLATFORM: 'aws' }, answers: {} },
  { what: 'Azure, tags as a text', env: { CLOUD_PLATFORM: 'azure' }, answers: azure({}) },
  { what: 'Azure, tags as a list, no zone', env: { CLOUD_PLATFORM: 'azure' }, answers: azure({ zone: '', tagsList }) },
  { what: 'Google', env: gcp, answers: google({ 'instance/attributes/cluster-location': 'us-east1' }) },
  {
    what: 'Google, of a template',
    env: gcp,
    answers: google({ 'instance/attributes/instance-template': 't', 'instance/attributes/created-by': 'g' }),
  },
  {
    what: 'Google, by settings',
    env: { ...gcp, GCP_METADATA: 'p|42|c|us-east1', GCP_ZONE: 'us-east1-d', GCP_QUOTA_PROJECT: 'q' },
    answers: {},
  },
  { what: 'Google, by half of the settings', env: { ...gcp, GCP_METADATA: 'p|42' }, answers: google({}) },
  { what: 'none', env: { CLOUD_PLATFORM: 'none' }, answers: aws },
];
