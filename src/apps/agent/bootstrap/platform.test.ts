// Metadata servers of three clouds, as they answer and as they do not: what the node tells, and how long a start waits for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fetched, HttpRequest } from '../../../ports/host.ts';
import { answer, fakeHost, refused } from '../fake-host.ts';
import { discoverPlatform } from './platform.ts';

const silent = (): Fetched => refused;

function discovered(
  given: {
    readonly told?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly files?: Readonly<Record<string, string>>;
    readonly addresses?: readonly string[];
  },
  fetch: (request: HttpRequest) => Fetched,
) {
  const host = fakeHost({ fetch, files: given.files ?? {} });
  const { told = '', env = {}, addresses = ['10.0.0.7'] } = given;
  return { host, platform: discoverPlatform({ host, told, env, addresses }) };
}

test('no sign of a cloud: nobody is asked', async () => {
  const { host, platform } = discovered({ files: { '/sys/class/dmi/id/sys_vendor': 'QEMU\n' } }, silent);
  assert.deepEqual((await platform).metadata, {});
  assert.deepEqual(host.requests, []);
});

const aws: Readonly<Record<string, string>> = {
  '/latest/meta-data/placement/region': 'eu-west-1\n',
  '/latest/meta-data/placement/availability-zone': 'eu-west-1b',
  '/latest/meta-data/instance-id': 'i-0f',
};

for (const token of ['T', undefined])
  test(`AWS ${token === undefined ? 'without' : 'with'} a token`, async () => {
    const { platform } = discovered({ told: 'aws' }, ({ method, host, path, headers = {} }) => {
      assert.equal(host, '169.254.169.254');
      if (method === 'PUT') return token === undefined ? refused : answer(200, token);
      assert.equal(headers['X-aws-ec2-metadata-token'], token);
      return answer(200, aws[path] ?? '');
    });
    assert.deepEqual((await platform).locality, { region: 'eu-west-1', zone: 'eu-west-1b' });
  });

test('AWS: a machine with IPv6 only asks there; refusals are no answers', async () => {
  const { platform } = discovered({ told: 'aws', addresses: ['fd00::2'] }, ({ host }) =>
    host === 'fd00:ec2::254' ? answer(401, 'Unauthorized') : refused,
  );
  assert.deepEqual((await platform).metadata, {});
});

test('Azure: the version first, then the machine', async () => {
  const { host, platform } = discovered(
    { files: { '/sys/class/dmi/id/sys_vendor': 'Microsoft Corporation\n' } },
    ({ path, headers = {} }) => {
      assert.equal(headers['Metadata'], 'True');
      if (path === '/metadata/instance?') return answer(400, '{"newest-versions":["2021-12-13"]}');
      return answer(200, '{"compute":{"location":"westeurope","name":"vm-1","zone":"2"}}');
    },
  );
  assert.deepEqual((await platform).metadata, { azure_name: 'vm-1', azure_location: 'westeurope' });
  assert.ok(host.requests.some((line) => line.endsWith('api-version=2021-12-13')));
});

test('GCP: another server by GCE_METADATA_HOST; the zone of resolv.conf wins', async () => {
  const { platform } = discovered(
    {
      env: { GCE_METADATA_HOST: 'meta.test:8080' },
      files: { '/etc/resolv.conf': 'search a us-east1-b.c.p.internal\n' },
    },
    ({ host, port, path, headers = {} }) => {
      assert.deepEqual([host, port, headers['Metadata-Flavor']], ['meta.test', 8080, 'Google']);
      return path === '/computeMetadata/v1/project/project-id' ? answer(200, 'p') : answer(404, 'not found');
    },
  );
  const { metadata, locality } = await platform;
  assert.deepEqual([metadata, locality], [{ gcp_project: 'p' }, { region: 'us-east1', zone: 'us-east1-b' }]);
});

test('every question is bounded', async () => {
  for (const told of ['aws', 'azure', 'gcp']) {
    const bounds: (number | undefined)[] = [];
    const { platform } = discovered({ told }, ({ timeoutMs }) => {
      bounds.push(timeoutMs);
      return refused;
    });
    assert.deepEqual((await platform).metadata, {}, told);
    assert.ok(bounds.length > 1 && bounds.every((bound) => bound !== undefined && bound <= 500), told);
  }
});
