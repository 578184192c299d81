import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readYaml } from '../../core/gotemplate/index.ts';
import { capture } from '../capture.ts';

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-inject-'));
});
after(() => rmSync(folder, { recursive: true }));

const image = ['--proxy-image', 'registry.example/proxy:1'];
const service = '# kept: as it is\napiVersion: v1\nkind: Service\nmetadata: {name: web}\n';
const pod = (extra = ''): string => `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web, istio.io/rev: 1-25-2}${extra}
spec:
  containers:
  - {name: app, image: "registry.example/app:1"}
`;

function put(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function proxyIn(text: string): { readonly image: string; readonly env: readonly { name: string; value: string }[] } {
  const { spec } = readYaml(text) as unknown as { spec: { containers: unknown[]; initContainers: unknown[] } };
  const found = [...spec.containers, ...spec.initContainers].find(
    (one) => (one as { name: string }).name === 'istio-proxy',
  );
  return found as ReturnType<typeof proxyIn>;
}

test('a pod gets the proxy, other documents keep their bytes', async () => {
  const { code, stdout, stderr } = await capture(['inject', ...image, '-'], {
    stdin: `${service}---\n${pod()}`,
    cwd: folder,
  });
  assert.equal(code, 0, stderr);
  assert.ok(stdout.startsWith(`${service}---\n`));
  assert.equal(proxyIn(stdout.slice(service.length + 4)).image, 'registry.example/proxy:1');
  assert.match(stderr, /fairway inject: 1 of 1 workloads injected/);
});

test("the revision is the label's: its control plane, its image from fairway.yml", async () => {
  put(
    'fairway.yml',
    'revisions:\n  1-25-2: {proxyImage: "registry.example/proxy:1.25.2", discoveryAddress: "other:15012"}\nkubernetes: "1.29"\nlifecycle: {hold: true}\n',
  );
  const { code, stdout, stderr } = await capture(['inject', '-'], { stdin: pod(), cwd: folder });
  rmSync(join(folder, 'fairway.yml'));
  assert.equal(code, 0, stderr);
  const proxy = proxyIn(stdout);
  assert.equal(proxy.image, 'registry.example/proxy:1.25.2');
  assert.match(proxy.env.find(({ name }) => name === 'PROXY_CONFIG')?.value ?? '', /"discoveryAddress":"other:15012"/);
  // An old cluster: classic, held by hooks, the sleep as a command.
  assert.match(stdout, /- sleep 15/);
});

test('-o json and -o yaml put every document into one form', async () => {
  const stdin = `${service}---\n${pod()}`;
  const json = await capture(['inject', ...image, '-o', 'json', '-'], { stdin, cwd: folder });
  assert.equal(json.stdout.match(/^\{$/gm)?.length, 2);
  const yaml = await capture(['inject', ...image, '-o', 'yaml', '-'], {
    stdin: JSON.stringify(readYaml(pod())),
    cwd: folder,
  });
  assert.match(yaml.stdout, /^apiVersion: v1\nkind: Pod\n/);
});

test('a List is injected item by item', async () => {
  const list = { apiVersion: 'v1', kind: 'List', items: [readYaml(service), readYaml(pod())] };
  const { stdout } = await capture(['inject', ...image, '-'], { stdin: JSON.stringify(list), cwd: folder });
  const { items } = JSON.parse(stdout) as { items: [unknown, unknown] };
  assert.deepEqual(items[0], readYaml(service));
  assert.match(JSON.stringify(items[1]), /istio-proxy/);
});

test('templates, values and mesh configuration come from files; one template alone is enough', async () => {
  const template = put(
    'template.txt',
    '{{ if true }}\nspec:\n  initContainers:\n  - {name: extra, image: "{{ .Values.image }}", args: ["{{ .MeshConfig.TrustDomain }}"]}\n{{ end }}\n',
  );
  const values = put('values.yaml', 'image: registry.example/extra:1\n');
  const mesh = put('mesh.yaml', 'trustDomain: td.example\n');
  const flags = ['--template', template, '--values', values, '--mesh-config', mesh];
  const { stdout, stderr } = await capture(['inject', ...flags, '-'], { stdin: pod(), cwd: folder });
  assert.match(stdout, /image: registry\.example\/extra:1/, stderr);
  assert.match(stdout, /- td\.example/);
});

test('a ConfigMap as kubectl prints it is enough', async () => {
  const config = 'policy: enabled\ntemplates:\n  sidecar: |\n    metadata: {labels: {from: "{{ .Values.x }}"}}\n';
  const map = put(
    'map.json',
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data: { config, values: '{"x": "map"}' } }),
  );
  const { stdout, stderr } = await capture(['inject', '--template', map, '-'], { stdin: pod(), cwd: folder });
  assert.match(stdout, /from: map/, stderr);
});

test('what is not injected says why', async () => {
  const text = pod().replace('spec:', 'spec:\n  hostNetwork: true');
  const { code, stdout, stderr } = await capture(['inject', ...image, '-'], { stdin: text, cwd: folder });
  assert.deepEqual([code, stdout], [0, text]);
  assert.match(stderr, /note: document 1: Pod\/web: not injected \(host-network\)/);
});

const refused: readonly (readonly [name: string, args: readonly string[], stdin: string, message: RegExp])[] = [
  ['an unknown image', [], pod(), /the proxy's image of revision 1-25-2 is not known/],
  [
    'a bad annotation',
    image,
    pod('\n  annotations: {sidecar.istio.io/proxyCPU: much}'),
    /document 1: Pod\/web: .*proxyCPU/,
  ],
  ['a broken template', [...image, '--template', 'broken.txt'], pod(), /broken\.txt: error: .*unclosed action/],
  ['a missing file', ['--template', 'none.txt'], pod(), /none\.txt: cannot be read/],
  ['text that is no manifest', image, 'a: [1\n', /error/],
];
for (const [name, args, stdin, message] of refused) {
  test(`refused, with exit code 2: ${name}`, async () => {
    put('broken.txt', '{{ .x');
    const { code, stdout, stderr } = await capture(['inject', ...args, '-'], { stdin, cwd: folder });
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, message);
  });
}

test('ProxyConfig resources among the files count, and comments above a document stay', async () => {
  const proxyConfig = `apiVersion: networking.istio.io/v1beta1
kind: ProxyConfig
metadata: {name: all}
spec: {environmentVariables: {MINE: "yes"}}
`;
  const stdin = `# Source: web.yaml\n\n${pod()}---\n${proxyConfig}`;
  const { code, stdout, stderr } = await capture(['inject', ...image, '-n', 'shop', '-'], { stdin, cwd: folder });
  assert.equal(code, 0, stderr);
  assert.ok(stdout.startsWith('# Source: web.yaml\n\napiVersion: v1\n'));
  assert.ok(stdout.endsWith(`---\n${proxyConfig}`));
  const env = proxyIn(stdout.slice(0, stdout.indexOf('---\n'))).env;
  assert.equal(env.find(({ name }) => name === 'MINE')?.value, 'yes');
});

const badFlags: readonly (readonly [args: readonly string[], stderr: RegExp])[] = [
  [['--revision', 'A B'], /"A B" is no revision/],
  [['--native-sidecars', 'maybe'], /Allowed choices are true, false/],
  [['--max-bytes', 'much'], /a whole number of bytes is wanted/],
];
for (const [args, wanted] of badFlags) {
  test(`inject ${args.join(' ')} is refused`, async () => {
    const { code, stdout, stderr } = await capture(['inject', ...image, ...args], { stdin: pod() });
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, wanted);
  });
}

test('the empty revision is the control plane without a name', async () => {
  const { code, stderr } = await capture(['inject', ...image, '--revision', ''], { stdin: pod() });
  assert.equal(code, 0, stderr);
});
