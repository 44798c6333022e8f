import { createPrivateKey } from "node:crypto";

/**
 * Tokens that Google's test environment returned, with the merchant keys that decrypt them. From
 * https://github.com/Basis-Theory/google-pay-js at c061cc97dfc8247a83409ae69c21c30e5eafefbd, `test/fixtures/` (Apache
 * License 2.0). The card numbers are test numbers.
 */
export const tokenOf2024 = {
  token: [
    '{"signature":"MEYCIQCjqYS6T/29qQ27ZS5laoC9MeNodPauX1uNtUa9dmiL6gIhAOfzCbnLhJnzDs',
    'HZNBfLpWPg/XFyYq/QKqubNRbdyiOM","intermediateSigningKey":{"signedKey":"{\\"keyVal',
    'ue\\":\\"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEusLZZqP8Z1hvi9IU9rm7NcNLeokbvZ6Z0vXC',
    'WNoypycgpKTkrSXNMOWqAQS6hT37I3+qfLX5xRSo4q2kT63uw\\\\u003d\\\\u003d\\",\\"keyExpiratio',
    'n\\":\\"1709020759412\\"}","signatures":["MEUCICaWaE8BUlQueV+ZrJ/OMJY7TwnaXeuTFx9fB',
    'zDHb1EXAiEAoeOYc4VbDJXSJQjTUiWhxua8zK855TKrCdkw0S3PNC0="]},"protocolVersion":"EC',
    'v2","signedMessage":"{\\"encryptedMessage\\":\\"4Ipj9cRTdZju7aPB8aZx1TXv7jn9aH1uIXe',
    "B40+zhn/P532RTRyEdSG3fPdG+gv/sllBOhEfCk9o9if+QkLkyH2J4NpbeGEKjNFNZz7UGDlkzwJ1rG6",
    "KJQNIqchbfD6cnqhjNSmEgLysg0y5lxAkTfdly/I5h9qLAsOX5BFlNMIU5ZsX1Y0Xl/qMbNJO58h19lY",
    "NDC7V866YVc/YQSrpV5zl6lQDIkzyVdFzA/yvIs8RGaUkwEyPb01hEnO0mkssV8UIJyd7jBTDCTyXBub",
    "ffHT84DQR1Vm4L8nK9IXJsQau8oHyF0as9dld9bOP5f9RJadImCcqu5JNmJ/l5tEHQP/FSereNlWSQTk",
    "nzP+ZZP92tjuytbuKJV8kUEP+W5V2uLoUYjQdTA75WcaA8HbdavttxCZuYnIajroc9kVBPAaIpqH3tb1",
    'wOBnOlVQ\\\\u003d\\",\\"ephemeralPublicKey\\":\\"BFkRPgpI/NW2bYYZS+1M0o8FxEeR6B2EGI+3U',
    'fvh8DFpGoFhfT3Zqo+hTp3129emDQ6a0lWEEuQpxqiB9mV/9dY\\\\u003d\\",\\"tag\\":\\"AZKdgPhVu7',
    'hz1VTH4Y38+TJ58wkO1dz7R3rKQMQa3+A\\\\u003d\\"}"}',
  ].join(""),
  privateKey: scalarOf(`-----BEGIN EC PRIVATE KEY-----
MHcCAQEEICDJblDbSduEOQwS1QSv+Tf/xxJc0fRozuT+I2YjvRoioAoGCCqGSM49
AwEHoUQDQgAEffadCB6zT8z4VrT+ND4EVTFJayhsNR+yIYJDwM+CcrZxvObguMTB
WkakNF4IwTmbhwtT1/fwrCkWJUApj3nVUA==
-----END EC PRIVATE KEY-----`),
};

export const tokenOf2023 = {
  token: [
    '{"signature":"MEUCIFhShmtAIbYz5L97te8N/mgKrkCHi3h8iHAT8bwDwB5VAiEAj994Z1tkdmgq7v',
    'I7WokIbo41o0qbnltcDWIzfgPvOCI=","intermediateSigningKey":{"signedKey":"{\\"keyVal',
    'ue\\":\\"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEESqwqmVxU17LkE9/EDlW4C7DQCbmj67SJIyN3',
    '7MFqHEjQmPCKKwQ16YkzYMe+3MFm69kcmndQIRsR9ebmiLjUg\\\\u003d\\\\u003d\\",\\"keyExpiratio',
    'n\\":\\"1678562555601\\"}","signatures":["MEQCIHJIoGyTQxI16yJv7lzUN8c7ThwAcglTZ4pwR',
    'dBDgUmXAiBpXs4Jz87AlFhb78gI878MAfe+z3GpRViIaIOj1CJA9A=="]},"protocolVersion":"EC',
    'v2","signedMessage":"{\\"encryptedMessage\\":\\"QuJ4S+42aUdwjfMWtGNDkl2ReQfwQ4XpI6r',
    "yOcDxhGj2i9Al2kOVlgQ10jxK2OfFzxbO8xffuoOScd7GynHRj286fLc5oZyx8gwcLSFg/tbPTeLzmo1",
    "LmMiXmtKSH12cuDnL/sEdBkxkUCR5CFZZdMsozxWQQAP9nUrcef2uAhKj6LdwSh3EebKZssDT/PyaASY",
    "xAk0k0pcy/Wsmd3IfSZpyi9Z18v3pyMZkgKAySUO5AUPwiGfFA4inrlCKVebnoS3UIVEYS3/N0r6hKhx",
    "/bGfaZIY6T21QgxIzDLsH0eYsUavLghtOVhuUcjuiIs5tNz5wVqdqL4/mE53OpldjJC6+Zh+DWs8k9mw",
    "ATf2ULPV7nPDQ80uRleaFVu1k1l/xd+ZTQlQ5i36wZ9tj8x6N34Cnvz35gxx3XM4vXAJjZHl2b2Bo2oo",
    'Bc779GyI\\\\u003d\\",\\"ephemeralPublicKey\\":\\"BL3HPy5Kv9bv8DCjtOFpyMDPkYg8UAtjf3fkd',
    'AsSX2oT58IefdCN6yZpWOLsizy4OrbC1D3lo/IfZ7WYZppKH8M\\\\u003d\\",\\"tag\\":\\"p8VVCbwZhf',
    'fjZvkUAKtt3hG4WtK1ELlDNYLnOafKsYc\\\\u003d\\"}"}',
  ].join(""),
  privateKey: scalarOf(`-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIF4bpzwMQ2ENbRw4O5vO1+SQhgC2xIvy2xoyyiU7ZPvWoAoGCCqGSM49
AwEHoUQDQgAE1iSh88DLBiL3ijtNikixvuX9i3icyeHZBXO4UFImDxyNVvUlnqqS
E8NWDL+TT+jdcGvp6cPUohIUf8b45ezQJg==
-----END EC PRIVATE KEY-----`),
};

/** The recipient of these tokens. */
export const googleTestRecipient = "merchant:12345678901234567890";
/** The root key of Google's test environment, which has signed the intermediate keys of these tokens. */
export const googleTestRootKeys = JSON.stringify({
  keys: [
    {
      keyValue:
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEGnJ7Yo1sX9b4kr4Aa5uq58JRQfzD8bIJXw7WXaap/hVE+PnFxvjx4nVxt79SdRuUVeu++HZD0cGAv4IOznc96w==",
      protocolVersion: "ECv2",
      keyExpiration: "2154841200000",
    },
  ],
});

/**
 * The keys from the tests of Google's library Tink. Florin's tests create tokens with them. From
 * https://github.com/tink-crypto/tink-java-apps at f06b4ceaee6c74422474abf6c0ea0e9573ca6090,
 * `PaymentMethodTokenRecipientTest.java` (Apache License 2.0).
 */
export const tink = {
  recipientId: "someRecipient",
  merchantKey: createPrivateKey({
    key: Buffer.from(
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCPSuFr4iSIaQprjjchHPyDu2NXFe0vDBoTpPkYaK9dehRANCAATnaFz/vQKuO90pxsINyVNWojabHfbx9qIJ6uD7Q7ZSxmtyo/Ez3/o2kDT8g0pIdyVIYktCsq65VoQIDWSh2Bdm",
      "base64",
    ),
    format: "der",
    type: "pkcs8",
  }),
  /** The merchant's public key as an uncompressed point. */
  merchantPoint: Buffer.from(
    "BOdoXP+9Aq473SnGwg3JU1aiNpsd9vH2ognq4PtDtlLGa3Kj8TPf+jaQNPyDSkh3JUhiS0KyrrlWhAgNZKHYF2Y=",
    "base64",
  ),
  alternateMerchantKey: createPrivateKey({
    key: Buffer.from(
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOUIzccyJ3rTx6SVmXrWdtwUP0NU26nvc8KIYw2GmYZKhRANCAAR5AjmTNAE93hQEQE+PryLlgr6Q7FXyNXoZRk+1Fikhq61mFhQ9s14MOwGBxd5O6Jwn/sdUrWxkYk3idtNEN1Rz",
      "base64",
    ),
    format: "der",
    type: "pkcs8",
  }),
  rootKey: createPrivateKey({
    key: Buffer.from(
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKvEdSS8f0mjTCNKevaKXIzfNC5b4A104gJWI9TsLIMqhRANCAAT/X7ccFVJt2/6Ps1oCt2AzKhIAzjfJHJ3Op2DVPGh1LMD3oOPgxzUSIqujHG6dq9Ui93Eacl4VWJPMW/MVHHIL",
      "base64",
    ),
    format: "der",
    type: "pkcs8",
  }),
  /** The public key of `rootKey`. */
  rootPublicKey:
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/1+3HBVSbdv+j7NaArdgMyoSAM43yRydzqdg1TxodSzA96Dj4Mc1EiKroxxunavVIvdxGnJeFViTzFvzFRxyCw==",
  alternateRootPublicKey:
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEU8E6JppGKFG40r5dDU1idHRN52NuwsemFzXZh1oUqh3bGUPgPioH+RoWnmVSUQz1WfM2426w9f0GADuXzpUkcw==",
  /** A valid token of the older protocol version ECv1. */
  olderToken: JSON.stringify({
    protocolVersion: "ECv1",
    signedMessage: JSON.stringify({
      tag: "ZVwlJt7dU8Plk0+r8rPF8DmPTvDiOA1UAoNjDV+SqDE=",
      ephemeralPublicKey:
        "BPhVspn70Zj2Kkgu9t8+ApEuUWsI/zos5whGCQBlgOkuYagOis7qsrcbQrcprjvTZO3XOU+Qbcc28FSgsRtcgQE=",
      encryptedMessage: "12jUObueVTdy",
    }),
    signature:
      "MEQCIDxBoUCoFRGReLdZ/cABlSSRIKoOEFoU3e27c14vMZtfAiBtX3pGMEpnw6mSAbnagCCgHlCk3NcFwWYEyxIE6KGZVA==",
  }),
};

/** Returns the private scalar of a P-256 key. */
export function scalarOf(key: string | ReturnType<typeof createPrivateKey>): Buffer {
  const object = typeof key === "string" ? createPrivateKey(key) : key;
  return Buffer.from(object.export({ format: "jwk" }).d as string, "base64url");
}
