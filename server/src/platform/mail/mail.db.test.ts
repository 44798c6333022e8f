import assert from "node:assert/strict";
import { createServer, type Server, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { createTestClock, minute } from "../../../test/test-clock.ts";
import { createTestTimers, testBackground } from "../../../test/test-timers.ts";
import { noteClose, noteUse, until } from "../../../test/until.ts";
import { connectDatabase, type Database } from "../database/database.ts";
import { startMail } from "./mail.jobs.ts";
import { readWaitingMails } from "./mail.sql.ts";
import { queueMail } from "./queue-mail.ts";
import { createSmtpSender } from "./smtp.ts";

const clock = createTestClock();
let testDatabase: TestDatabase;
let database: Database;
let mailServer: MailServer;
before(async () => {
  testDatabase = await createTestDatabase();
  database = connectDatabase({ url: testDatabase.url, poolSize: 4, onIdleError: () => {} });
  mailServer = await startMailServer();
});
after(async () => {
  mailServer.close();
  await database.close();
  await testDatabase.drop();
});

const mail = {
  to: "ada@example.com",
  subject: "Grüße",
  text: "Go on here:\n\nhttps://pay.example/#x\n",
  action: "Go on",
  brand: { name: "Kiosk & Co", color: "#a8481f", logo: "/branding/acct_1/logo.png" },
};

test("mail is queued until the mail server accepts it, and its text is then deleted", async () => {
  await database.transaction((tx) =>
    queueMail(tx, mail, { kind: "link", browser: null, network: "192.0.2.1" }, clock.now()),
  );
  mailServer.reject = true;
  const reported: (readonly [reason: string, again: boolean])[] = [];
  const send = createSmtpSender({
    url: mailServer.url,
    from: "Florin <no-reply@pay.example>",
    origin: () => "https://pay.example",
    tls: "opportunistic",
  });
  const log = {
    notSent: (_mail: string, reason: string, next: Date | null) =>
      void reported.push([reason, next !== null]),
  };
  const timers = createTestTimers();
  noteUse(timers);
  const loop = startMail({ database, clock, send, log }, testBackground(timers));
  await until(
    () => database.read<{ last_error: string | null }>`select last_error from mails`,
    ([row]) => /not today/.test(row?.last_error ?? ""),
  );
  assert.equal((await readWaitingMails(database.read, 10)).length, 1);

  mailServer.reject = false;
  clock.advance(minute);
  await until(
    () => readWaitingMails(database.read, 10),
    (waiting) => waiting.length === 0,
  );
  await loop.stop();
  noteClose(timers);
  const [email = ""] = mailServer.emails;
  assert.match(email, /^From: Florin <no-reply@pay\.example>/m);
  assert.match(email, /^To: ada@example\.com/m);
  assert.match(email, /https:\/\/pay\.example\/#x/);
  assert.match(email, /^Content-Type: multipart\/alternative/m);
  // The HTML part is in quoted-printable (RFC 2045 §6.7), which breaks its lines with "=".
  const html = email.replaceAll("=\n", "");
  assert.match(html, /Kiosk &amp; Co/);
  assert.match(html, />Go on<\/a>/);
  assert.match(html, /https:\/\/pay\.example\/branding\/acct_1\/logo\.png/);
  assert.equal(mailServer.emails.length, 1);
  const rows = await database.read`select body, sent_at is not null as sent, attempts from mails`;
  assert.deepEqual(rows, [{ body: null, sent: true, attempts: 2 }]);
  assert.equal(reported.length, 1);
  assert.match(reported[0]?.[0] ?? "", /not today/);
  assert.equal(reported[0]?.[1], true);
});

type MailServer = { url: string; emails: string[]; reject: boolean; close(): void };

/** Starts a server that implements only the part of SMTP (RFC 5321) needed to accept an email. */
async function startMailServer(): Promise<MailServer> {
  const state: MailServer = { url: "", emails: [], reject: false, close: () => server.close() };
  const server: Server = createServer((socket) => serveSmtp(socket, state));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  state.url = `smtp://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return state;
}

function serveSmtp(socket: Socket, state: MailServer): void {
  let text = "";
  let email: string | null = null;
  const say = (line: string) => socket.write(`${line}\r\n`);
  say("220 mail.example");
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    text += bytes.toString();
    for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      if (email !== null) {
        if (line !== ".") {
          email += `${line}\n`;
          continue;
        }
        state.emails.push(email);
        email = null;
        say("250 accepted");
      } else if (/^RCPT/i.test(line) && state.reject) say("450 not today");
      else if (/^DATA/i.test(line)) {
        email = "";
        say("354 send the message");
      } else if (/^QUIT/i.test(line)) socket.end("221 bye\r\n");
      else say("250 OK");
    }
  });
}
