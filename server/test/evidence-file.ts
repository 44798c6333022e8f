import { createHash } from "node:crypto";

/** A PDF with one empty page, in ASCII. Contains a string to search for. */
export const evidencePdf = Buffer.from(`%PDF-1.4
1 0 obj
<< /Type /Catalog /Pages 2 0 R >>
endobj
2 0 obj
<< /Type /Pages /Kids [3 0 R] /Count 1 >>
endobj
3 0 obj
<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] >>
endobj
xref
0 4
0000000000 65535 f\u0020
0000000009 00000 n\u0020
0000000058 00000 n\u0020
0000000115 00000 n\u0020
trailer
<< /Size 4 /Root 1 0 R >>
% Signed by Ada Field
startxref
186
%%EOF
`);

export const sha256 = (content: Buffer): string =>
  createHash("sha256").update(content).digest("hex");
