// Which cloud a machine is in, and its metadata servers' answers, in the shapes that they really have, as node metadata and place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  awsPlatform,
  azurePlatform,
  azureVersion,
  type CloudSigns,
  cloudOf,
  gcpFromSettings,
  gcpPlatform,
  gcpZoneIn,
} from './platform.ts';

const signs: readonly (readonly [signs: Partial<CloudSigns>, cloud: ReturnType<typeof cloudOf>])[] = [
  [{}, undefined],
  [{ told: 'AWS' }, 'aws'],
  [{ told: 'azure', maker: 'Google\n' }, 'azure'],
  [{ told: 'none', maker: 'Google\n' }, undefined],
  [{ told: 'elsewhere', maker: 'Google\n' }, 'gcp'],
  [{ maker: 'Amazon EC2\n' }, 'aws'],
  [{ maker: 'Xen\n', hypervisor: 'ec2f0e1d-0000-0000-0000-000000000000\n' }, 'aws'],
  [{ maker: 'Microsoft Corporation\n' }, 'azure'],
  [{ maker: 'QEMU\n' }, undefined],
  [{ hasGcpSettings: true }, 'gcp'],
];
for (const [given, cloud] of signs)
  test(`the cloud of ${JSON.stringify(given)}: ${cloud}`, () => {
    const nothing = { told: '', hasGcpSettings: false, maker: undefined, hypervisor: undefined };
    assert.equal(cloudOf({ ...nothing, ...given }), cloud);
  });

test('AWS', () => {
  const { metadata, locality } = awsPlatform({ region: 'eu-west-1', zone: 'eu-west-1b', instance: 'i-0f' });
  assert.deepEqual(metadata, { aws_region: 'eu-west-1', aws_availability_zone: 'eu-west-1b', aws_instance_id: 'i-0f' });
  assert.deepEqual(locality, { region: 'eu-west-1', zone: 'eu-west-1b' });
  const silent = awsPlatform({ region: undefined, zone: undefined, instance: undefined });
  assert.deepEqual([silent.metadata, silent.locality], [{}, {}]);
});

const compute = { location: 'westeurope', name: 'vm-1', vmId: '02aa', zone: '2', tags: 'team:shop;empty:;bare;a:b:c' };
const azure: readonly (readonly [answer: unknown, metadata: object, locality: object])[] = [
  [
    { compute, network: { interface: [] } },
    {
      azure_name: 'vm-1',
      azure_location: 'westeurope',
      azure_vmId: '02aa',
      azure_team: 'shop',
      azure_empty: '',
      azure_bare: '',
      azure_a: 'b:c',
    },
    { region: 'westeurope', zone: '2' },
  ],
  [
    { compute: { ...compute, zone: '', tagsList: [{ name: 'team', value: 'a;b' }] } },
    { azure_name: 'vm-1', azure_location: 'westeurope', azure_vmId: '02aa', azure_team: 'a;b' },
    { region: 'westeurope' },
  ],
  [{ compute: [] }, {}, {}],
  ['nonsense', {}, {}],
];
for (const [answer, metadata, locality] of azure)
  test(`Azure: ${JSON.stringify(answer).slice(0, 60)}`, () => {
    const told = azurePlatform(JSON.stringify(answer));
    assert.deepEqual([told.metadata, told.locality], [metadata, locality]);
  });

test('Azure: the newest form of answers that the server has', () => {
  const refusal = { error: 'Bad request', 'newest-versions': ['2021-12-13', '2021-11-15'] };
  assert.equal(azureVersion(JSON.stringify(refusal)), '2021-12-13');
  assert.equal(azureVersion('{"newest-versions":["2018-10-01"]}'), '2019-08-15');
  assert.equal(azureVersion(undefined), '2019-08-15');
});

test('GCP: answers of the server', () => {
  const answers = { gcp_project: 'p', gcp_project_number: '42', gcp_gke_cluster_name: 'c', gcp_gce_instance_id: '7' };
  const { metadata, locality } = gcpPlatform({ ...answers, zone: 'projects/42/zones/us-east1-b' }, undefined);
  assert.deepEqual(metadata, {
    ...answers,
    gcp_location: 'us-east1-b',
    gcp_gke_cluster_url: 'https://container.googleapis.com/v1/projects/p/locations/us-east1-b/clusters/c',
  });
  assert.deepEqual(locality, { region: 'us-east1', zone: 'us-east1-b' });
  const regional = gcpPlatform({ ...answers, gcp_location: 'us-east1', zone: undefined }, 'us-east1-c');
  assert.deepEqual(regional.locality, { region: 'us-east1', zone: 'us-east1-c' });
  assert.equal(regional.metadata['gcp_location'], 'us-east1');
  assert.deepEqual(gcpPlatform({}, 'nowhere').locality, {});
});

test('GCP: settings spare the questions', () => {
  const env = { GCP_METADATA: 'p|42|c|us-east1', GCP_ZONE: 'us-east1-d', GCP_QUOTA_PROJECT: 'q' };
  const told = gcpFromSettings(env, 'us-east1-b');
  assert.deepEqual(told?.metadata, {
    gcp_project: 'p',
    gcp_project_number: '42',
    gcp_gke_cluster_name: 'c',
    gcp_location: 'us-east1',
    gcp_quota_project: 'q',
    gcp_zone: 'us-east1-d',
    gcp_gke_cluster_url: 'https://container.googleapis.com/v1/projects/p/locations/us-east1/clusters/c',
  });
  assert.deepEqual(told?.locality, { region: 'us-east1', zone: 'us-east1-d' });
  assert.equal(gcpFromSettings({ GCP_METADATA: 'half|of' }, 'us-east1-b'), undefined);
  assert.equal(gcpFromSettings({ GCP_ZONE: 'us-east1-d' }, undefined), undefined);
});

test("GCP: the zone in a pod's list of search domains", () => {
  const file =
    'nameserver 10.0.0.10\nsearch shop.svc.cluster.local svc.cluster.local us-east1-b.c.project.internal google.internal\n';
  assert.equal(gcpZoneIn(file), 'us-east1-b');
  assert.equal(gcpZoneIn('search shop.svc.cluster.local\n'), undefined);
});
