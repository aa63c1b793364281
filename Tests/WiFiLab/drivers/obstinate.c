// SPDX-License-Identifier: MIT
/*
 * A network device whose driver misbehaves in the way that it is told: its stop operation takes long, while the
 * kernel keeps the lock for network configuration (RTNL), and its open operation fails.
 *
 *   /sys/module/obstinate/parameters/stop_ms      how long the stop takes, in milliseconds
 *   /sys/module/obstinate/parameters/open_errno   the error of the open, such as 5 (EIO); 0 if it works
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>

static unsigned int stop_ms;
module_param(stop_ms, uint, 0644);
static unsigned int open_errno;
module_param(open_errno, uint, 0644);

static struct net_device *device;

static int obstinate_open(struct net_device *dev)
{
	if (open_errno)
		return -(int)open_errno;
	netif_start_queue(dev);
	return 0;
}

static int obstinate_stop(struct net_device *dev)
{
	netif_stop_queue(dev);
	msleep(stop_ms);
	return 0;
}

static netdev_tx_t obstinate_transmit(struct sk_buff *skb, struct net_device *dev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops operations = {
	.ndo_open = obstinate_open,
	.ndo_stop = obstinate_stop,
	.ndo_start_xmit = obstinate_transmit,
};

static void obstinate_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &operations;
	eth_hw_addr_random(dev);
}

static int __init obstinate_init(void)
{
	int result;

	device = alloc_netdev(0, "obstinate%d", NET_NAME_ENUM, obstinate_setup);
	if (!device)
		return -ENOMEM;
	result = register_netdev(device);
	if (result)
		free_netdev(device);
	return result;
}

static void __exit obstinate_exit(void)
{
	unregister_netdev(device);
	free_netdev(device);
}

module_init(obstinate_init);
module_exit(obstinate_exit);
MODULE_DESCRIPTION("network device that misbehaves on purpose");
MODULE_LICENSE("Dual MIT/GPL");
