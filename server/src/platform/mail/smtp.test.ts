import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { after, before, type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { testCertificates } from "../../../test/certificates.ts";
import { newId } from "../../core/ids.ts";
import { createSmtpSender, type SmtpOptions } from "./smtp.ts";

const authorities = getCACertificates("default");
before(() => setDefaultCACertificates([...authorities, testCertificates.authority]));
after(() => setDefaultCACertificates(authorities));

type MailServer = {
  readonly port: number;
  /** The passwords and messages that arrived, and whether the connection was encrypted. */
  readonly received: { readonly what: "password" | "message"; readonly encrypted: boolean }[];
};

async function startMailServer(
  t: TestContext,
  options: SMTPServerOptions = {},
): Promise<MailServer> {
  const received: MailServer["received"] = [];
  const server = new SMTPServer({
    key: testCertificates.key,
    cert: testCertificates.certificate,
    // The server accepts any connection, so only the client can reject it.
    allowInsecureAuth: true,
    onAuth: (_auth, session, done) => {
      received.push({ what: "password", encrypted: session.secure });
      done(null, { user: "florin" });
    },
    onData: (stream, session, done) => {
      stream.resume().on("end", () => {
        received.push({ what: "message", encrypted: session.secure });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  t.after(() => new Promise<void>((resolve) => server.close(resolve)));
  return { port, received };
}

const mail = {
  id: newId("mail", new Date(0)),
  to: "ada@example.com",
  subject: "Sign in",
  text: "https://pay.example/#secret",
  attempts: 1,
};

function send(
  scheme: "smtp" | "smtps",
  port: number,
  tls: SmtpOptions["tls"],
  { host = "localhost", to = mail.to } = {},
) {
  const url = `${scheme}://florin:hunter2@${host}:${port}`;
  return createSmtpSender({
    url,
    from: "Florin <no-reply@pay.example>",
    origin: () => "https://pay.example",
    tls,
  })({ ...mail, to, replyTo: to });
}

const encrypted = [
  { what: "password", encrypted: true },
  { what: "message", encrypted: true },
] as const;

test("mail and the password for it are sent over verified TLS, by STARTTLS or implicit TLS", async (t) => {
  for (const [scheme, secure] of [
    ["smtp", false],
    ["smtps", true],
  ] as const) {
    const server = await startMailServer(t, { secure });
    await send(scheme, server.port, "verified");
    assert.deepEqual(server.received, encrypted, scheme);
  }
});

test("if STARTTLS was stripped from the server's response, nothing is sent", async (t) => {
  const server = await startMailServer(t, { hideSTARTTLS: true, disabledCommands: ["STARTTLS"] });
  await assert.rejects(send("smtp", server.port, "verified"), /STARTTLS/);
  assert.deepEqual(server.received, []);

  await send("smtp", server.port, "opportunistic");
  assert.deepEqual(
    server.received.map(({ what, encrypted }) => [what, encrypted]),
    [
      ["password", false],
      ["message", false],
    ],
    "the operator has allowed unencrypted mail",
  );
});

test("nothing is sent to a server with an untrusted certificate or one for another name", async (t) => {
  setDefaultCACertificates(authorities);
  const server = await startMailServer(t);
  await assert.rejects(send("smtp", server.port, "verified"), /certificate/);
  setDefaultCACertificates([...authorities, testCertificates.authority]);
  await assert.rejects(send("smtp", server.port, "verified", { host: "127.0.0.1" }), /altnames/);
  assert.deepEqual(server.received, []);
});

test("an email to an address that reads like a list is not sent to its first part", async (t) => {
  const recipients: string[] = [];
  const server = await startMailServer(t, {
    onRcptTo: ({ address }, _session, done) => {
      recipients.push(address);
      done();
    },
  });
  for (const to of ["ada@example.com,1.x", "ada@example.com;1.x", "ada@example.com(1.x)"]) {
    await send("smtp", server.port, "verified", { to }).catch(() => undefined);
    assert.ok(!recipients.includes("ada@example.com"), `${to} was sent to ${recipients}`);
  }
  await send("smtp", server.port, "verified");
  assert.equal(recipients.at(-1), "ada@example.com");
});
