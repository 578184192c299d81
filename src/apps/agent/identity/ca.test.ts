// The contract of a certificate authority on the one that the tests use; test/cluster tries it on istiod.
import { startCertificateAuthority } from '../../../../test/xds/certificate-authority.ts';
import { caContract } from '../../../../test/xds/certificate-contract.ts';

caContract('the CA of the tests', async () => {
  const ca = await startCertificateAuthority();
  ca.callers.set('token', 'spiffe://cluster.local/ns/shop/sa/cart');
  return {
    host: '127.0.0.1',
    port: ca.port,
    serverName: 'istiod.istio-system.svc',
    root: ca.root(),
    token: 'token',
    end: ca.end,
  };
});
