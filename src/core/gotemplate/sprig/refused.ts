// sprig's functions that no template may call here, each with its reason. They are defined, so that a template that names one in a branch
// that is not taken works, as it does with Istio; a call fails with a message that says what to do without it.
import { failCall } from '../error.ts';
import { GoFunction } from '../value.ts';

const reasons = {
  'what is rendered must be the same each time, so there are no clock and no dates':
    'ago date dateInZone dateModify date_in_zone date_modify duration durationRound htmlDate htmlDateInZone mustDateModify mustToDate must_date_modify now toDate unixEpoch',
  'what is rendered must be the same each time, so there is no chance':
    'randAlpha randAlphaNum randAscii randBytes randInt randNumeric shuffle uuidv4',
  'keys, passwords and certificates are not made while a pod is created; use a Secret':
    'bcrypt buildCustomCert decryptAES derivePassword encryptAES genCA genCAWithKey genPrivateKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert genSignedCertWithKey htpasswd',
  'a template may not use the network': 'getHostByName',
  'it is not implemented':
    'abbrevboth add1f b32dec b32enc addf camelcase divf kebabcase mulf semver sha1sum sha512sum snakecase subf urlJoin urlParse wrap wrapWith',
} as const;

/** By name. */
export const refusedFunctions: Readonly<Record<string, GoFunction>> = Object.fromEntries(
  Object.entries(reasons).flatMap(([reason, names]) =>
    names.split(' ').map((name) => [name, refusing(reason)] as const),
  ),
);

function refusing(reason: string): GoFunction {
  return new GoFunction([], 'value', () => failCall(`not available in Fairway: ${reason}`));
}
