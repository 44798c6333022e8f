/** The style sheet of the reference page. It uses system fonts and follows the browser's light or dark mode. */
export const referenceStyle = `
:root{--paper:#fdfcfa;--panel:#f5f2ec;--ink:#1d1b18;--soft:#6a655c;--line:#e5e0d6;--accent:#8a5a00;--code:#211f2b;--code-ink:#eae6f2;--code-soft:#a49db5;--green:#1b6b3a;--blue:#1f5faa;--red:#a8281e;--amber:#8a5a00;--mark:#fff3cf}
@media (prefers-color-scheme:dark){:root{--paper:#161519;--panel:#1e1d22;--ink:#ece9e4;--soft:#a39e95;--line:#312f37;--accent:#e9b949;--code:#0f0e12;--code-ink:#e4e0ec;--code-soft:#8f89a0;--green:#6fcf97;--blue:#7cb4f5;--red:#f08b80;--amber:#e9b949;--mark:#3a3116}}
*{box-sizing:border-box}
html{scroll-padding-top:1.5rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.6 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;display:grid;grid-template-columns:17rem minmax(0,1fr)}
a{color:var(--accent);text-underline-offset:.18em;text-decoration-thickness:1px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
code,pre{font-family:ui-monospace,"SF Mono",SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em}
:not(pre)>code{overflow-wrap:anywhere}
p code,td code{background:var(--panel);padding:.08em .3em;border-radius:4px}
td a code,.path code{background:none;padding:0}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem 1rem;z-index:2}
.side{position:sticky;top:0;height:100vh;overflow-y:auto;background:var(--panel);border-right:1px solid var(--line);padding:1.5rem 1rem 3rem;scrollbar-width:thin}
.brand{display:inline-flex;align-items:center;gap:.6rem;font-weight:650;font-size:1.05rem;letter-spacing:-.01em}
.brand small{font-weight:400;color:var(--soft);font-size:.8rem;letter-spacing:0}
.logo{display:grid;place-items:center;width:1.75rem;height:1.75rem;border-radius:50%;background:linear-gradient(150deg,#f7d67a,#c98a12);color:#3d2800;font:italic 700 1.05rem Georgia,"Times New Roman",serif}
nav p{margin:1.6rem .5rem .3rem;font-size:.72rem;font-weight:650;letter-spacing:.07em;text-transform:uppercase;color:var(--soft)}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:.55rem;align-items:baseline;padding:.28rem .5rem;border-radius:6px;color:inherit;text-decoration:none;font-size:.9rem;line-height:1.35}
nav li a:hover{background:var(--line)}
.method{flex:none;display:inline-block;min-width:2.5rem;font:650 .66rem/1.5 ui-monospace,Menlo,Consolas,monospace;letter-spacing:.03em}
.method.get{color:var(--blue)}.method.post{color:var(--green)}.method.delete{color:var(--red)}
.bar,.menu-word{display:none}
main{min-width:0;padding:2.75rem clamp(1.1rem,3.5vw,3.5rem) 8rem;max-width:88rem}
main header{max-width:44rem}
h1{font-size:clamp(1.9rem,4vw,2.6rem);line-height:1.12;letter-spacing:-.03em;margin:0 0 .8rem;font-weight:680}
h2{font-size:1.3rem;letter-spacing:-.015em;margin:0 0 .6rem;line-height:1.25}
h2.noun{font-size:1.65rem;letter-spacing:-.025em;margin:4.5rem 0 0;padding-top:2rem;border-top:1px solid var(--line)}
h3{font-size:1.15rem;letter-spacing:-.01em;margin:0 0 .35rem}
h4{margin:1.7rem 0 0;font-size:.8rem;font-weight:650;color:var(--soft)}
.lead{color:var(--soft);font-size:1.06rem;max-width:44rem}
.pair{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,26rem);gap:2.5rem clamp(1.5rem,3vw,3.5rem);padding:2.25rem 0}
.pair+.pair{border-top:1px solid var(--line)}
.aside{display:grid;gap:1rem;align-content:start;position:sticky;top:1.5rem;align-self:start}
.path{display:flex;gap:.4rem;align-items:baseline;margin:.1rem 0 0;font-size:1rem}
.path .method{font-size:.74rem;min-width:2.7rem}
.fields{list-style:none;margin:.3rem 0 0;padding:0}
.fields>li{padding:.75rem 0;border-top:1px solid var(--line)}
.fields>li:first-child{border-top:0}
.name{display:flex;flex-wrap:wrap;gap:.2rem .6rem;align-items:baseline}
.name>code{font-weight:600;font-size:.9rem}
.type,.fields small{color:var(--soft);font-size:.82rem}
.required{color:var(--red);font-size:.75rem;font-weight:600}
.fields p{margin:.15rem 0 0;font-size:.93rem}
.choices{display:flex;flex-wrap:wrap;gap:.3rem;padding-top:.25rem}
.choices code{font-size:.78rem}
.fields details{margin-top:.5rem;border:1px solid var(--line);border-radius:8px;padding:0 .9rem}
.fields summary{cursor:pointer;padding:.45rem 0;font-size:.86rem;color:var(--soft)}
.responses{margin:1.4rem 0 0;font-size:.93rem;color:var(--soft)}.responses b{color:var(--ink)}
.code{margin:0;border-radius:10px;background:var(--code);color:var(--code-ink);border:1px solid var(--line);overflow:hidden}
.code figcaption{padding:.5rem .95rem;font-size:.76rem;color:var(--code-soft);border-bottom:1px solid rgba(255,255,255,.09)}
.code pre{margin:0;padding:.85rem .95rem;overflow:auto;max-height:min(24rem,38vh);line-height:1.55;font-size:.92rem;scrollbar-width:thin;scrollbar-color:var(--code-soft) transparent}
.scroll{overflow-x:auto;margin-top:1.25rem}
table{border-collapse:collapse;width:100%;font-size:.9rem;line-height:1.45}
th{text-align:left;font-size:.76rem;font-weight:650;color:var(--soft);padding:.5rem 1rem .5rem 0;border-bottom:1px solid var(--line)}
td{vertical-align:top;padding:.65rem 1rem .65rem 0;border-bottom:1px solid var(--line);min-width:6rem}
td:first-child{min-width:13rem;overflow-wrap:anywhere}
td small{display:block;color:var(--soft);font-size:.78rem}
tr:target td{background:var(--mark)}
.status,.retry{font-weight:600;font-variant-numeric:tabular-nums}
.s4{color:var(--amber)}.s5,.never{color:var(--red)}.later,.check{color:var(--amber)}.fix,.auth{color:var(--green)}.other{color:var(--soft)}
.number{font-variant-numeric:tabular-nums;white-space:nowrap}
@media (max-width:70rem){.pair{grid-template-columns:minmax(0,1fr);gap:1.4rem}.aside{position:static}}
@media (max-width:52rem){
html{scroll-padding-top:4.5rem}
body{display:block}
.bar{display:flex;justify-content:space-between;align-items:center;position:sticky;top:0;z-index:1;background:var(--panel);border-bottom:1px solid var(--line);padding:.7rem 1.1rem}
.menu-word{display:inline-block;padding:.3rem 0;font-size:.88rem;color:var(--soft);text-decoration:none}
.side{display:none}
.side:target{display:block;position:fixed;inset:0;z-index:2;height:auto;overscroll-behavior:contain;border:0;padding:.7rem 1.1rem 3rem}
.side .menu-word{float:right}
.side li a{padding:.55rem .5rem;font-size:.95rem}
main{padding-top:1.75rem}
h2.noun{margin-top:3rem}
table,thead,tbody,tr,td{display:block}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tr{padding:.8rem 0;border-bottom:1px solid var(--line)}
tr:target{background:var(--mark)}
td,td:first-child{border:0;padding:.1rem 0;min-width:0}
}
@media print{.side,.bar,.skip{display:none}body{display:block}.aside{position:static}.code pre{max-height:none}}
`;
