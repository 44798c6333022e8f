/** The style sheet of the documentation. It uses system fonts, and the colors of the dashboard. */
export const docsStyle = `
:root{color-scheme:light dark;--ground:light-dark(#fff,#0e1110);--panel:light-dark(#f8f8f5,#151917);--sunken:light-dark(#f1f2ee,#1c211f);--line:light-dark(#e4e6df,#272d2a);--field-line:light-dark(#8b938d,#66706a);--ink:light-dark(#181b19,#ebeeec);--soft:light-dark(#535a55,#a9b2ad);--accent:light-dark(#0b5d45,#59d3a5);--accent-ink:light-dark(#fff,#04251a);--accent-soft:light-dark(#e4f1ea,#12302a);--code:light-dark(#1b201e,#0a0d0c);--code-ink:#e3e9e6;--code-soft:#a4aea9;--green:light-dark(#0d6840,#6fdca9);--blue:light-dark(#1c5596,#8fc1f7);--red:light-dark(#ad231b,#ff9d92);--amber:light-dark(#7d4b00,#f0c36b);--mark:light-dark(#fdf0d4,#33270f)}
:root[data-theme=light]{color-scheme:light}
:root[data-theme=dark]{color-scheme:dark}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{scroll-padding-top:5rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.65 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;display:grid;grid-template-columns:16.5rem minmax(0,1fr);grid-template-rows:auto 1fr}
body.article{grid-template-columns:16.5rem minmax(0,1fr) 15rem}
a{color:var(--accent);text-underline-offset:.18em;text-decoration-thickness:1px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
code,pre,kbd{font-family:ui-monospace,"SF Mono",SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em}
:not(pre)>code{overflow-wrap:anywhere}
td code{overflow-wrap:break-word}
.line{white-space:nowrap}
p code,td code,li>code,dd code{background:var(--sunken);padding:.1em .32em;border-radius:4px}
td a code,.path code,.name code,.operations code{background:none;padding:0}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:1rem;background:var(--ground);padding:.5rem 1rem;z-index:5}
.bar{grid-column:1/-1;position:sticky;top:0;z-index:3;display:flex;align-items:center;gap:.5rem 1rem;min-height:3.5rem;padding:.4rem 1.5rem;background:var(--panel);border-bottom:1px solid var(--line)}
.brand{display:inline-flex;align-items:center;gap:.6rem;font-weight:650;font-size:1.05rem;letter-spacing:-.01em;color:inherit;text-decoration:none}
.brand small{font-weight:400;color:var(--soft);font-size:.85rem}
.logo{display:grid;place-items:center;width:1.75rem;height:1.75rem;border-radius:50%;background:linear-gradient(150deg,#f7d67a,#c98a12);color:#3d2800;font:italic 700 1.05rem Georgia,"Times New Roman",serif}
.tools{display:flex;align-items:center;gap:.6rem;margin-left:auto}
.bar-link{color:inherit;text-decoration:none;font-size:.92rem;padding:.35rem .2rem}
.bar-link:hover{text-decoration:underline}
.menu-link,.menu-close{display:none}
.button{font:inherit;font-size:.88rem;line-height:1.4;color:inherit;background:var(--ground);border:1px solid var(--field-line);border-radius:7px;padding:.35rem .75rem;cursor:pointer}
.button:hover{background:var(--sunken)}
.button.primary{background:var(--accent);color:var(--accent-ink);border-color:var(--accent)}
.search-button{display:flex;align-items:center;gap:.7rem;color:var(--soft);min-width:13rem}
.search-button kbd{margin-left:auto;font-size:.75rem;border:1px solid var(--line);border-radius:4px;padding:0 .3rem}
.side{position:sticky;top:3.5rem;height:calc(100vh - 3.5rem);overflow-y:auto;border-right:1px solid var(--line);background:var(--panel);padding:.4rem 1rem 3rem;scrollbar-width:thin}
nav p{margin:1.4rem .5rem .3rem;font-size:.78rem;font-weight:650;color:var(--soft)}
nav ul{list-style:none;margin:0;padding:0}
.side li a{display:block;padding:.27rem .5rem;border-radius:6px;color:inherit;text-decoration:none;font-size:.9rem;line-height:1.4}
.side li a:hover{background:var(--sunken)}
.side li a[aria-current]{background:var(--accent-soft);color:var(--accent);font-weight:600}
main{min-width:0;padding:2.5rem clamp(1.1rem,3.5vw,3.5rem) 4rem}
.article main{max-width:54rem;width:100%;justify-self:center}
.wide main{max-width:88rem}
.contents{position:sticky;top:3.5rem;align-self:start;max-height:calc(100vh - 3.5rem);overflow-y:auto;padding:1.6rem 1.25rem 2rem 0;font-size:.86rem}
.contents p{margin:0 0 .4rem .75rem}
.contents a{display:block;padding:.22rem .75rem;border-left:2px solid var(--line);color:var(--soft);text-decoration:none;line-height:1.4}
.contents a:hover{color:var(--ink)}
.contents a[aria-current]{color:var(--accent);border-color:var(--accent);font-weight:600}
h1{font-size:clamp(1.8rem,4vw,2.4rem);line-height:1.15;letter-spacing:-.028em;margin:0 0 .9rem;font-weight:680}
h2{font-size:1.4rem;letter-spacing:-.018em;margin:2.6rem 0 .7rem;line-height:1.25}
h3{font-size:1.12rem;letter-spacing:-.01em;margin:1.9rem 0 .5rem}
.label{margin:1.6rem 0 0;font-size:.85rem;font-weight:650;letter-spacing:0;color:var(--soft)}
h2 .anchor,h3 .anchor{margin-left:.4rem;color:var(--soft);text-decoration:none;opacity:0;font-weight:400}
h2:hover .anchor,h3:hover .anchor,.anchor:focus-visible{opacity:1}
article img{max-width:100%;height:auto;border:1px solid var(--line);border-radius:10px}
article>p,article>ul,article>ol{max-width:46rem}
article li{margin:.3rem 0}
.lead{color:var(--soft);font-size:1.06rem;max-width:46rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.9rem;list-style:none;padding:0;max-width:none!important}
.cards li{margin:0}
.cards a{display:block;height:100%;border:1px solid var(--line);border-radius:10px;padding:1rem 1.1rem;color:inherit;text-decoration:none}
.cards a:hover{border-color:var(--accent)}
.cards b{display:block;color:var(--accent)}
.cards span{font-size:.9rem;color:var(--soft);line-height:1.45;display:block;margin-top:.2rem}
.operations{list-style:none;padding:.4rem 0;margin:1.2rem 0 0;border:1px solid var(--line);border-radius:10px;max-width:none!important}
.operations li{margin:0}
.operations a{display:flex;flex-wrap:wrap;gap:.1rem .7rem;align-items:baseline;padding:.35rem 1rem;color:inherit;text-decoration:none}
.operations a:hover{background:var(--sunken)}
.operations span{color:var(--soft);font-size:.9rem;margin-left:auto}
.method{flex:none;display:inline-block;min-width:2.6rem;font:650 .72rem/1.5 ui-monospace,Menlo,Consolas,monospace}
.method.get{color:var(--blue)}.method.post{color:var(--green)}.method.delete{color:var(--red)}
.pair{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,28rem);gap:2rem clamp(1.5rem,3vw,3rem);padding:2.25rem 0}
.pair+.pair{border-top:1px solid var(--line)}
.pair h2{margin-top:0}
.aside{display:grid;gap:1rem;align-content:start;position:sticky;top:4.75rem;align-self:start;min-width:0}
.path{display:flex;gap:.4rem;align-items:baseline;margin:.1rem 0 .7rem}
.fields{list-style:none;margin:.3rem 0 0;padding:0}
.fields>li{padding:.75rem 0;border-top:1px solid var(--line);margin:0}
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
.code{position:relative;margin:1.1rem 0;border-radius:10px;background:var(--code);color:var(--code-ink);border:1px solid var(--line);overflow:hidden;color-scheme:dark}
.aside .code{margin:0}
.code figcaption{padding:.5rem 4.5rem .5rem .95rem;font-size:.78rem;color:var(--code-soft);border-bottom:1px solid #ffffff17;min-height:2.3rem}
.code pre{margin:0;padding:.85rem .95rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.6;font-size:.94rem;scrollbar-width:thin;scrollbar-color:var(--code-soft) transparent}
.code pre:focus-visible{outline-offset:-2px}
.aside .code pre{max-height:min(26rem,42vh)}
.tab-bar{display:flex;border-bottom:1px solid #ffffff17;padding-right:4.5rem;min-height:2.3rem}
[role=tablist]{display:flex;overflow-x:auto;scrollbar-width:none}
[role=tab]{font:inherit;font-size:.8rem;background:none;border:0;border-bottom:2px solid transparent;color:var(--code-soft);padding:.5rem .65rem .4rem;cursor:pointer}
[role=tab]:hover{color:var(--code-ink)}
[role=tab][aria-selected=true]{color:var(--code-ink);border-color:#59d3a5}
[role=tab]:focus-visible{outline-offset:-2px;outline-color:#59d3a5}
.copy{position:absolute;top:.35rem;right:.45rem;font:inherit;font-size:.76rem;color:var(--code-ink);background:#ffffff14;border:1px solid #ffffff2b;border-radius:6px;padding:.12rem .55rem;cursor:pointer}
.copy:hover{background:#ffffff26}
.hljs-comment{color:#9aa8a1}.hljs-keyword,.hljs-literal,.hljs-built_in{color:#f0b8d8}.hljs-string,.hljs-regexp{color:#a5dcb5}.hljs-number{color:#f3cf8b}.hljs-attr,.hljs-property,.hljs-variable,.hljs-params{color:#a8cdf5}.hljs-title,.hljs-title.function_{color:#c6d3ff}.hljs-meta,.hljs-tag,.hljs-name{color:#8fd6d0}
.filled{background:#59d3a533;border-radius:3px}
.scroll{overflow-x:auto;margin:1.25rem 0}
table{border-collapse:collapse;width:100%;font-size:.92rem;line-height:1.5}
th{text-align:left;font-size:.8rem;font-weight:650;color:var(--soft);padding:.5rem 1rem .5rem 0;border-bottom:1px solid var(--line)}
td{vertical-align:top;padding:.6rem 1rem .6rem 0;border-bottom:1px solid var(--line)}
.wide td{min-width:6rem}.wide td:first-child{min-width:13rem;overflow-wrap:anywhere}
.align-right{text-align:right}.align-center{text-align:center}
td small{display:block;color:var(--soft);font-size:.78rem}
tr:target td{background:var(--mark)}
.status,.retry{font-weight:600;font-variant-numeric:tabular-nums}
.s4{color:var(--amber)}.s5,.never{color:var(--red)}.later,.check{color:var(--amber)}.fix,.auth{color:var(--green)}.other{color:var(--soft)}
.number{font-variant-numeric:tabular-nums;white-space:nowrap}
footer{margin-top:3.5rem;border-top:1px solid var(--line);padding-top:1.2rem;font-size:.88rem;color:var(--soft)}
.neighbors{display:flex;justify-content:space-between;gap:1rem}
.neighbors a{text-decoration:none;font-weight:600}
.neighbors a[rel=next]{margin-left:auto;text-align:right}
.neighbors small{display:block;font-weight:400;color:var(--soft)}
.key-bar{display:flex;flex-wrap:wrap;gap:.5rem .9rem;align-items:center;margin:0 0 1.6rem;padding:.6rem .9rem;border:1px solid var(--line);border-radius:10px;background:var(--panel);font-size:.9rem}
.key-bar p{margin:0;flex:1 1 16rem}
dialog{border:1px solid var(--line);border-radius:12px;padding:0;background:var(--ground);color:var(--ink);width:min(40rem,calc(100vw - 2rem));max-height:min(36rem,80vh);margin-top:10vh;box-shadow:0 1px 2px #0002,0 16px 48px -8px #0006}
dialog::backdrop{background:#0007}
.search-form{display:flex;gap:.5rem;padding:.8rem;border-bottom:1px solid var(--line);position:sticky;top:0;background:var(--ground)}
.search-form input{flex:1;min-width:0;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--field-line);border-radius:8px;padding:.5rem .8rem}
.results{list-style:none;margin:0;padding:.5rem}
.results a{display:block;padding:.5rem .7rem;border-radius:8px;color:inherit;text-decoration:none}
.results a:hover,.results a:focus-visible{background:var(--sunken)}
.results b{display:block;font-weight:600}
.results span{color:var(--soft);font-size:.86rem}
.results p,.search-note{margin:0;color:var(--soft);font-size:.86rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.search-note{padding:1rem 1.2rem;white-space:normal}
@media (max-width:72rem){body.article{grid-template-columns:16.5rem minmax(0,1fr)}.contents{display:none}.pair{grid-template-columns:minmax(0,1fr);gap:1.2rem}.aside{position:static}}
@media (max-width:52rem){
body,body.article{display:block}
.bar{padding:.4rem 1rem;gap:.4rem .8rem}
.brand small,.search-button kbd,.search-button span{display:none}
.search-button{min-width:0}
.menu-link{display:inline-block;padding:.7rem .2rem}
.tools .button{min-width:2.75rem;min-height:2.75rem}
.side{display:none}
.side:target{display:block;position:fixed;inset:0;z-index:4;height:auto;overscroll-behavior:contain;border:0;padding:.7rem 1.1rem 3rem}
.side .menu-close{display:inline-block;float:right;padding:.5rem}
.side li a{padding:.55rem .5rem;font-size:.98rem}
main{padding-top:1.75rem}
.wide table,.wide thead,.wide tbody,.wide tr,.wide td{display:block}
.wide thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.wide tr{padding:.8rem 0;border-bottom:1px solid var(--line)}
.wide td,.wide td:first-child{border:0;padding:.1rem 0;min-width:0}
.operations span{margin-left:0;flex-basis:100%}
}
@media (max-width:30rem){.bar-link:not(.menu-link){display:none}.tab-bar{padding-right:4rem}[role=tab]{padding-inline:.5rem}}
@media print{.side,.bar,.skip,.contents,.copy,.key-bar{display:none}body,body.article{display:block}.aside{position:static}.code pre{max-height:none}}
`;
