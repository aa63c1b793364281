// SPDX-License-Identifier: MIT
/*
 * Sets the clocks as if the machine had slept: CLOCK_BOOTTIME and CLOCK_REALTIME advance by the number of seconds that
 * is written, and CLOCK_MONOTONIC does not. A guest whose root is a 9p file system does not survive a real suspend.
 *
 *   echo 45 >/sys/module/slumber/parameters/sleep
 *
 * It calls the function that the kernel itself calls on a resume, with the time that the hardware's clock counted.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/timekeeping.h>

static void (*inject)(const struct timespec64 *span);

static int set_sleep(const char *text, const struct kernel_param *parameter)
{
	struct timespec64 span = {};
	unsigned int seconds;
	int result = kstrtouint(text, 0, &seconds);

	if (result)
		return result;
	span.tv_sec = seconds;
	inject(&span);
	return 0;
}

static const struct kernel_param_ops sleep_operations = { .set = set_sleep };
module_param_cb(sleep, &sleep_operations, NULL, 0200);

/* The function is not exported, so its address is read from a kprobe. */
static int __init slumber_init(void)
{
	struct kprobe probe = { .symbol_name = "timekeeping_inject_sleeptime64" };
	int result = register_kprobe(&probe);

	if (result)
		return result;
	inject = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static void __exit slumber_exit(void)
{
}

module_init(slumber_init);
module_exit(slumber_exit);
MODULE_DESCRIPTION("clocks that go on as if the machine had slept");
MODULE_LICENSE("Dual MIT/GPL");
