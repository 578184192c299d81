// Extensions with a remote Wasm module: the agent fetches it, the real Envoy loads it from a file; where it cannot be had, requests pass or
// are refused as the extension says.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { encode } from '../../src/core/wire/index.ts';
import { cluster, endpoints, extension, listener, type Resource, routes } from '../xds/resources.ts';
import { emptyFilter } from '../xds/wasm-module.ts';
import { bounded, type Scene, until } from './scene.ts';
import { startApp } from './servers.ts';
import { sideBySide } from './side-by-side.ts';
import { newMesh, startPlane, startXdsScene } from './xds-scene.ts';

const test = sideBySide('remote modules');
const wasmType = 'envoy.extensions.filters.http.wasm.v3.Wasm';
const typeUrls = [wasmType, 'envoy.extensions.filters.http.rbac.v3.RBAC'];
const filter = 'ns.filter';

/** A filter with its module at an address; `failurePolicy` 3 is open. */
function wasmFilter(url: string, failurePolicy: number): Resource {
  const uri = encode([1, url], [2, 'unused'], [3, encode([1, 5])]);
  const code = encode([2, encode([1, uri], [2, 'nil'])]); // istiod's word for no checksum
  const machine = encode([1, 'vm'], [2, 'envoy.wasm.runtime.v8'], [3, code]);
  const plugin = encode([1, 'plugin'], [3, machine], [7, failurePolicy]);
  return extension(filter, wasmType, encode([1, plugin]));
}

/** Modules by path; what is not there is 404. */
async function startModules(t: TestContext, modules: Readonly<Record<string, Uint8Array>>): Promise<string> {
  const server = createServer((request, response) => {
    const module = modules[request.url ?? ''];
    response.writeHead(module === undefined ? 404 : 200).end(module);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function statusIs({ ports }: Scene, wanted: number): Promise<void> {
  const status = (): Promise<number> =>
    fetch(`http://127.0.0.1:${ports.inbound}/`).then(
      (response) => response.status,
      () => 0,
    );
  await until(`status ${wanted}`, async () => (await status()) === wanted, 30_000);
}

for (const variant of ['DELTA_GRPC', 'GRPC'] as const) {
  test(
    `${variant}: a remote Wasm module, fetched and loaded; without it, requests are refused or pass`,
    bounded,
    async (t) => {
      const mesh = await newMesh();
      const plane = await startPlane(t, mesh);
      const modules = await startModules(t, { '/m.wasm': emptyFilter() });
      const env = { FAIRWAY_WASM_FOLDER: 'modules' };
      const scene = await startXdsScene(t, { mesh, port: plane.port, variant, env });
      await startApp(t, scene.ports.app);
      const { inbound: port, app } = scene.ports;
      const extensions = [{ name: filter, typeUrls }];
      plane.set(
        cluster('app'),
        endpoints('app', [app]),
        routes('in', 'app'),
        wasmFilter(`${modules}/none.wasm`, 2),
        listener('in', { port, routes: 'in', direction: 'inbound', extensions }),
      );
      await statusIs(scene, 403);
      plane.set(wasmFilter(`${modules}/none.wasm`, 3));
      await statusIs(scene, 200);
      plane.set(wasmFilter(`${modules}/m.wasm`, 2));
      const dump = `http://127.0.0.1:${scene.ports.admin}/config_dump?resource=ecds_filters`;
      await until('Envoy has the file', async () =>
        (await (await fetch(dump)).text()).includes('"filename": "modules/'),
      );
      await statusIs(scene, 200);
      plane.set(extension(filter, wasmType, encode()));
      await until('the refusal', () =>
        plane.acknowledgements.some(({ error }) => error?.includes('has no module') === true),
      );
      await statusIs(scene, 200);
    },
  );
}
