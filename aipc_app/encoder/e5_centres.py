"""Mean vectors of Chinese and English texts in multilingual-e5-small; made by tests/bench/e5_centres.py.

Base85 of 384 little-endian float16 each.
"""

CHINESE_PASSAGES = (
    "hbk(iJf|b8(kyx(zM#n{PA>5r*eF?^K`jTPrmQ<COe?yoHlaqV>?YnA$Em<7YAh%!e5;@(b18JJ?Wi%Szbf~sC@jS&NUHUzfGD1;"
    "M5y{EQYw8d4=5WfN~tm`RH|>Kpr%nOMkQS;Qz7T7mZn3k6|KiB&@B8UQY8;4<t-2@gDf{G7N{tkm!}0Sp&$FG@*yW3fGQ2DohHt!"
    "hpk4bx~TjmXsmoF<to*x$|{~2r7H_8^rRuHI;-BQ@2GGn3oN&nhb$+mK%&yDnXAexhbkwm#3^p7>8Z^r4JmRdW2{E0f|(|*1S&hL"
    "*d>6e7pEVl$E*LU&no97tfp?FfF;Q%fgJB8P$p_E=c=?L%cRPt!KW@Lh^e?JMJaS9Dl7%67Avr;1|<Zm?kmhEEG$#1VW$(SIx1Z%"
    "kE-3Pwyb@p0j;{LL?|{aBCN!ryP|a|d!x=Gh#@8{#H9k504_%>;GkBh@Tg#_C#<xk9jI6*f*%_j7^Mg*D5~43Vynj_@vFQllqj<)"
    "i6qFWsU-y_gD4rKHLXM{^QkN<-Y37ScdLymaH~li=9c0rp{afyU?!rV=O81lYo}2wxG5Z|h^mYxYpN8dYN`ILEvx~qZ5Z4r8!Kn6"
    "gd--b&KWAKK`hd#_^DDTm!H`xq$fM9VW^a>sii0=&@7-Wo2W4;S0&t}b}fY}FDu|4jjBPRh^&;LSgMR9r7Z%ipsVGlC@JABo2pi*"
    "X(~-9Iw(OXH!B*YGN$+^+Nq_d1EuAm*(t-Tk}2gR&k7GMc&$+=L8#TGnJJVQGp|u9SQP-AWGFr>TrCzUzo);ZsUa{ab|rr)W2n`q"
    "E2%lCm8DOqfh=?;@~B~{sw~hXlq6B8>#C(FKd5r1`>KR06ReY|QYecq{1*=^dZ+uVFeBBbWTFu$6eqW=86&eRN2y9F7pwlM5-gZ1"
    "+pJ@#3@Vr@O)FL=RT-I>iYi8};45P($g9AjHKk0eF0G&{aj1N%gD2rEZz&Ng"
)
ENGLISH_PASSAGES = (
    "aV9jSvZl4GHY**d2o}aDNi8fT=_#lu4lGcp5vtKDZ7QUw1*o#DEhe+2R;Cy$5i2?^tEg6uL@0!<X{uzY0V<rURw<k#kE&s+T`E7S"
    "EvGLjPAFh1L@1ytWU9#}Dy2WCeyJBM3LGUW5h>KEnXFc<?W?mVl`6rcj3q=U;w;=N!YVo|+p80xVXVz68lOI=$s6S=d?*O41e_JA"
    "qpGE-il|E{*Q#VHoGW3g9xMl?g)6KnjHwQ*6|1<ZXsTu@u`C{_(kmsY`Y73}^Qh%0hbIZFb1Vz2+^LHwAS_5HPphh^9;a%m)+Ujq"
    "hAW?@-l<QlpsG`)#wWHWkS8CZ<tTI{-66auASog)QmR{{ilB*~kEtsu^rhA*`YW0$I4oMG>MUfc^C;V;WGQYVtSQ8*F|7EhU@FTh"
    "q^U}&Gpr?~1FVXp$17DV2&=EB(5Q$c-J=94e2#A@{Hf3<G%Qak_@x`DVyFeHEv)yY#HkY}gB|0hFs3OeCZ)`)4y@fMXREL(R4YFy"
    "tRkAED=E(>LnLS!7OVp-q^G4TIxD!W5vu<w$)km(YL<#Bx2l9BDJnvt2q}lHU97bzS1d59h^gKvEvCPz8>^YCbgIFr<fViu4k@~-"
    "XQ#ZWG%3!ja4EH>U#X!FD4mrj87GUX$)-uFKc_(_mMU2+fT&F+S01pa<}6Mq+bB9HYO0&0fvgdzf2`doq9@p?6s<0(6_xcW^{0ra"
    "%_$Bjw<*9WMk+%bpQCgtYOK7e!>8M;TPpCV=PNQN3mttec&1S)-lP<(T_~0+R;*qmY8;s<%p@2o1}Wku`>9Ny8Z5*tiJ?6ySEwtj"
    "U8w`CVxB^&6e%Msxuq|t{V1Lk>nVe%->QfxP^yifF{C~#+p5K?b|#lAHK>FtK&N!9Ybrpg;-#e^f-T#wl_g*&;i^6<)2e`}aw?7~"
    "DyxpCS17M2c`JY`1E<#@)Fxi5`YMVlAE!?qotpfsBd7)}{HX`5aVb_T@+hJ!"
)
CHINESE_QUERIES = (
    "bS&Ma0IS5Q+bboedMAA<cP-DMlPR&3Y%HIX!>j)&-YO-k(xXJIP$i%vH>>C?iYsU;U#hVu11klq1FD{>Pb#0P$Sis(N~>$BcPsO#"
    "9jToqW-I<InkF|aBdE+O8L2d*Ii=PrbtwBNO(QU@>!)n2^{gZ;RxGj^J0jsJ=PDH_aw|M3?y1b9%cq_zA|zO;?ITVhl_?9T&?P#o"
    "oUM+kk*K95m#a}Jttxk^8Y>SG8Y)06v8VZ|E2;jd3#FhanJmAcRxEd`S)b3WC#nT0kt)loN-6@XP^p+J)hQS%eylR7sSk*)4l5t3"
    "U@3H|eW;A4Gpb^$`Y6*T*qUM;87THA0iiM^e<;{23#)!6{Gkt|psAB5KdO2u#wCp?h%CsbRx7ouMI2YAC@dl=fGGT^-K6=cjw<si"
    "`>BwswX7(p0j(UY8Y&elxvL_m-<tm@BdLHTawXa;!KET0Z!JbDm8BS^EUQbZaI8G3!>Mp5G$hUuu%_TCC#o^1p{ed9{j7#68z_b;"
    "I~~iZ_9Xov;VK)UMyyaMm#GITHYY}`VXF!%QL2Ne`<PWK$f;*2X(ivB10o`>Go&UfhbmU6)Tt#XBdZ~)A*YV4u&Jo7qoN%uz$rDZ"
    "ETtr>S|rq~{wejTHmWWsucR0(YboTc-KO%aB&ql*)+;?N3aP*-3?jjz^DIUxGAh5EysGG<1*}0MsH$QpLoM;DfvVW0{3psTsH$42"
    "(JC=3bS1VcK`LaW0H}>9q^U8d!>F~UHY#hWQ7Aeim7Mb|udEj)X{G|8>LuGCORYvK!ye6-f+yuG%q(gr1*j9KVkDF)5gl+S1FR~h"
    "*r`*f5vKsFpe*Ysb*X`<YAkgpN};Q%NUQZKq^T3A;Hdg48mj-QNGM}1(x9>`ET%=PStqKfC8`N1x+dbS2`0-a4yq9*zon(ATq_zW"
    "U94QI11k(D4l2YXKnsKyz9#>yt}E{-qpCX~(xW`6xvc{$5vWtCohLdiYA13k"
)
ENGLISH_QUERIES = (
    "Yb&g%YpP7DPb&1OxhNAU+A4b-M=M$(>MFFU^r#mq<SV$ST%ujARwops+Nv)sEGQf-Tc**X!72HxpQ<~lq$!lDwkawp4XY}s<}Amk"
    "bg3*U(<lfjJ1AZ&0;nb`_M^9@DXO$94k@TA)hgquu&m0etf@&U{3ze4LMBQl!Yb1$btwxfTC8=T#;dw1V<3X2D;|F)2qnO)@FRMt"
    "H>{1QrKw0K^s8Vhb1HSI^(?`sWh<I1DXTxL0Ic1qu&7Tc{wkcLM=JZMk|`*t^r(U*4=LlT7%X|JL#g#EP%WG*PpTBDgrmo*94XwV"
    "SuB>MsH<bFH>wt>{wH`TJ1Tf1>m^ViKq$W`Tr03EwyQRzJfN7MA*+)n52zF<4J=eB@hu{#zALS$;3=V~Dl9@MM<?B=daMMi4Jtz`"
    "XsPL`tE?2LJ*qLGwkdxrY^k869I7NJj;j1A6dPG9K&jj*)hw4N{Hc1T0jOlG1+3Dm535op!6!4Occ;E7b*a{<S*zqIF|55R`zp*R"
    "1so=&awtnB&?x024XL&%c&mjfv?}7PJF74%=A_i2c$BLt#;H#!@F~ln(I^nFVyY7;#3|UQi>6d5rl@bK0jtie5~=K|A*v`UGbp61"
    "iK}I*xhS=)qbcR8s;KZN5~d9${3>s(lBGeaZm6*-JSjLV%&EO64Wmn?I4$iciz)pk3934w@~iHmm8>l%(<*AIV5(K70iDk*c%~qz"
    "94t#H8Y)>VDkbNlai`KKV5{t?1EI63Z!9#TzA6AHnjAkY{iu>Atf-c$*da|TRjlJBP9%LPu_R0>Br3Wo7^rfj|0oP9hM&|Zj;gz<"
    "EvqT2k)~m*#3;fgh^c9*oF=Itp(CZK7OX5R=BaU_7Ny=RSE)a%=qAG{eyDaQx}*iFp(t9Z!Km^k<t)st&nLJjTd5`}p`}-<@h4>{"
    "$*YE_EGaN3a41(SaHJTR_$E`UH7e;VE~^D1<fh-KZ>bP0ys1~I2qls%upVD3"
)
